# SPDX-License-Identifier: Apache-2.0
"""The simulator: what is on the wire when all is well, and for each fault. The reader here is a plain socket, so that
nothing is smoothed over."""

import re
import signal
import socket
import time

import pytest

import weirlib


class Stream:
    """One connection to a camera, read as bytes."""

    def __init__(self, port, camera=0):
        self.socket = socket.create_connection(("127.0.0.1", port), weirlib.TIMEOUT_S)
        self.socket.sendall(f"GET /cam{camera} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        self.data = b""
        head = self.until(b"\r\n\r\n")
        self.status = int(head.split()[1])
        self.head = head.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def more(self):
        piece = self.socket.recv(65536)
        self.data += piece
        return len(piece)

    def until(self, mark):
        while mark not in self.data:
            if self.more() == 0:
                raise EOFError(self.data[-200:])
        head, _, self.data = self.data.partition(mark)
        return head

    def part(self, delimiter=b"--weir"):
        """The next part: (headers as lower-case dict, body up to the next delimiter)."""
        self.until(delimiter + b"\r\n")
        lines = self.until(b"\r\n\r\n").decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        while b"\r\n--" not in self.data:
            if self.more() == 0:
                raise EOFError
        return headers, self.data[:self.data.index(b"\r\n--")]

    def rest(self):
        """Everything until the other side ends; a reset is an end too."""
        try:
            while self.more():
                pass
        except ConnectionResetError:
            return None
        return self.data


def is_jpeg(body):
    return body[:2] == b"\xff\xd8" and body[-2:] == b"\xff\xd9"


def size_of(body):
    at = body.index(b"\xff\xc0")
    return int.from_bytes(body[at + 7:at + 9], "big"), int.from_bytes(body[at + 5:at + 7], "big")


@pytest.fixture
def sim(request):
    """A simulator with the arguments that the test gives by `with_arguments`; .port, .fault(...), .camera(...)."""
    arguments = getattr(request, "param", ("--fps", 50, "--cameras", 2))
    with weirlib.start("sim", "--port", 0, *arguments) as process:
        ready = process.wait_for_text(r"weir sim: \d+ cameras? at http://[^/]+:(\d+)/cam0")
        process.port = int(ready[1])
        process.url = f"http://127.0.0.1:{process.port}"

        def fault(kind, camera=0, seconds=None):
            more = "" if seconds is None else f"&seconds={seconds}"
            return weirlib.ask(f"{process.url}/fault?camera={camera}&kind={kind}{more}", method="POST")

        process.fault = fault
        process.camera = lambda number=0: weirlib.ask(f"{process.url}/status").json["cameras"][number]
        yield process


def with_arguments(*arguments):
    return pytest.mark.parametrize("sim", [arguments], indirect=True, ids=["sim"])


def test_a_healthy_stream(sim):
    with Stream(sim.port) as stream:
        assert stream.status == 200
        assert "multipart/x-mixed-replace; boundary=weir" in stream.head
        numbers = []
        for _ in range(10):
            headers, body = stream.part()
            assert headers["content-type"] == "image/jpeg"
            assert int(headers["content-length"]) == len(body)
            assert is_jpeg(body) and size_of(body) == (640, 480)
            numbers.append(int(headers["x-frame"]))
        assert numbers == list(range(1, 11))


def test_cameras_differ_and_stills_are_served(sim):
    pictures = [weirlib.ask(f"{sim.url}/cam{number}.jpg") for number in (0, 1)]
    assert all(answer.status == 200 and is_jpeg(answer.body) for answer in pictures)
    assert pictures[0].body != pictures[1].body
    assert weirlib.ask(f"{sim.url}/cam2").status == 404
    assert weirlib.ask(f"{sim.url}/nothing").status == 404
    assert "cam1" in weirlib.ask(f"{sim.url}/").text


def test_stopping_is_clean_and_says_what_was_sent(sim):
    with Stream(sim.port) as stream:
        stream.part()
        sim.signal(signal.SIGINT)
        stream.rest()
    assert sim.wait() == 0
    assert re.search(r"ran \d+\.\ds, 1 streams, [1-9]\d* pictures sent, \d+ skipped", sim.stderr)


@pytest.mark.parametrize("kind", ["truncate", "corrupt", "garbage", "wrong-length", "no-length"])
def test_faults_of_a_part(sim, kind):
    assert sim.fault(kind).status == 200
    with Stream(sim.port) as stream, Stream(sim.port, 1) as other:
        lengths = set()
        for _ in range(12):
            headers, body = stream.part()
            length = headers.get("content-length")
            lengths.add(length is not None and int(length) - len(body))
            if kind in ("truncate", "garbage"):
                assert not is_jpeg(body)
            if kind == "corrupt":
                assert is_jpeg(body)
        if kind == "wrong-length":
            assert 48 in lengths and any(difference < 0 for difference in lengths)
        elif kind == "no-length":
            assert lengths == {False}
        else:
            assert lengths == {0}
        headers, body = other.part()
        assert is_jpeg(body) and int(headers["content-length"]) == len(body)


def test_wrong_boundary(sim):
    sim.fault("wrong-boundary")
    with Stream(sim.port) as stream:
        assert "boundary=weir" in stream.head
        assert is_jpeg(stream.part(b"--another")[1])


def test_stall_keeps_the_connection_and_ends(sim):
    with Stream(sim.port) as stream:
        before = int(stream.part()[0]["x-frame"])
        sim.fault("stall")
        weirlib.wait_until(lambda: sim.camera()["fault"] == "stall", "the stall")
        frames = sim.camera()["frame"]
        with Stream(sim.port, 1) as other:
            for _ in range(5):
                other.part()
        assert sim.camera()["frame"] == frames
        sim.fault("none")
        while int(stream.part()[0]["x-frame"]) <= frames:
            pass
        assert before <= frames


def test_a_fault_of_some_seconds_ends_by_itself(sim):
    sim.fault("stall", seconds=0.3)
    with Stream(sim.port) as stream:
        stream.part()
    assert sim.camera()["fault"] == "none"


def test_cut_in_the_middle_of_a_picture(sim):
    with Stream(sim.port) as stream:
        stream.part()
        sim.fault("cut", seconds=30)
        rest = stream.rest()
        assert rest is not None and not rest.endswith(b"\xff\xd9\r\n")
    with Stream(sim.port) as stream:
        assert stream.status == 200
        stream.until(b"--weir")
        assert not stream.rest().endswith(b"\xff\xd9\r\n")


@pytest.mark.parametrize("kind", ["401", "403", "404", "500", "503"])
def test_statuses(sim, kind):
    with Stream(sim.port) as stream:
        stream.part()
        sim.fault(kind)
        stream.rest()
    answer = weirlib.ask(f"{sim.url}/cam0")
    assert answer.status == int(kind)
    assert ("WWW-Authenticate" in answer.headers) == (kind == "401")
    sim.fault("none")
    with Stream(sim.port) as stream:
        assert stream.status == 200


def test_login_page(sim):
    sim.fault("html")
    answer = weirlib.ask(f"{sim.url}/cam0")
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/html" and "<html>" in answer.text


def test_reset(sim):
    with Stream(sim.port) as stream:
        stream.part()
        sim.fault("reset")
        assert stream.rest() is None
    with pytest.raises((ConnectionResetError, EOFError)):
        Stream(sim.port)


def test_refused_for_a_while(sim):
    assert sim.fault("refuse", camera=0).status == 400
    assert sim.fault("refuse", camera="all", seconds=1).status == 200

    def refused():
        try:
            socket.create_connection(("127.0.0.1", sim.port), 1).close()
        except ConnectionRefusedError:
            return True
        return False

    weirlib.wait_until(refused, "connections to be refused")
    weirlib.wait_until(lambda: not refused(), "connections to be taken again")
    with Stream(sim.port) as stream:
        assert is_jpeg(stream.part()[1])


def test_freeze_and_size(sim):
    with Stream(sim.port) as stream:
        stream.part()
        sim.fault("freeze")
        bodies = [stream.part()[1] for _ in range(30)]
        assert len(set(bodies[-5:])) == 1
        sim.fault("size")
        weirlib.wait_until(lambda: size_of(stream.part()[1]) == (320, 240), "another size")
        sim.fault("none")
        weirlib.wait_until(lambda: size_of(stream.part()[1]) == (640, 480), "the size from before")


def test_dribble_arrives_in_pieces_and_whole(sim):
    sim.fault("dribble")
    with Stream(sim.port) as stream:
        pieces = []
        while len(pieces) < 10:
            pieces.append(stream.more())
        assert max(pieces) <= 2000
        sim.fault("none")
        assert is_jpeg(stream.part()[1])


def rate(sim, camera=0, seconds=1.0):
    first, start = sim.camera(camera)["frame"], time.monotonic()
    time.sleep(seconds)
    return (sim.camera(camera)["frame"] - first) / (time.monotonic() - start)


@with_arguments("--fps", 20, "--cameras", 1)
def test_slow_and_fast(sim):
    with Stream(sim.port) as stream:
        stream.part()
        assert 10 < rate(sim) < 24
        sim.fault("slow")
        assert rate(sim, seconds=1.5) < 6
        sim.fault("fps")
        assert rate(sim, seconds=1.5) > 28


@with_arguments("--fps", 100, "--cameras", 1, "--size", "1280x720", "--quality", 95)
def test_a_client_that_does_not_read_is_skipped(sim):
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", sim.port))
        slow.sendall(b"GET /cam0 HTTP/1.1\r\n\r\n")
        weirlib.wait_until(lambda: sim.camera()["skipped"] > 50, "skipped pictures")
        with Stream(sim.port) as quick:
            first = int(quick.part()[0]["x-frame"])
            for _ in range(20):
                last = int(quick.part()[0]["x-frame"])
            assert last - first <= 60
    weirlib.wait_until(lambda: sim.camera()["clients"] == 0, "the clients to be gone")


@with_arguments("--cameras", 2, "--fps", 50, "--fault", "cam1:404@0s+1s,cam0:truncate@0s")
def test_faults_by_plan(sim):
    weirlib.wait_until(lambda: sim.camera(0)["fault"] == "truncate", "the plan to begin")
    with Stream(sim.port) as stream:
        assert not is_jpeg(stream.part()[1])
    weirlib.wait_until(lambda: sim.camera(1)["fault"] == "none", "the plan to end")
    with Stream(sim.port, 1) as stream:
        assert stream.status == 200


def test_bad_requests(sim):
    for query in ("", "?kind=stall", "?camera=0&kind=nonsense", "?camera=9&kind=stall", "?camera=0&kind=stall&seconds=x"):
        assert weirlib.ask(f"{sim.url}/fault{query}", method="POST").status == 400
    assert weirlib.ask(f"{sim.url}/fault?camera=0&kind=stall").status == 405
    with socket.create_connection(("127.0.0.1", sim.port)) as connection:
        connection.sendall(b"\x16\x03\x01\r\n\r\n")
        assert connection.recv(10) == b""
    with socket.create_connection(("127.0.0.1", sim.port)) as connection:
        connection.sendall(b"A" * 5000)
        try:
            assert connection.recv(10) == b""
        except ConnectionResetError:
            pass
    assert weirlib.ask(f"{sim.url}/").status == 200


def test_a_clip_plays_at_its_own_rate_and_loops():
    clip = weirlib.shared("media", "two-people-faces-5s.mp4")  # 56 frames, 12 a second
    with weirlib.start("sim", "--port", 0, "--cameras", 1, "--clip", clip, "--fps", 100) as process:
        port = int(process.wait_for_text(r":(\d+)/cam0")[1])
        with Stream(port) as stream:
            pictures = {}
            while len(pictures) < 120:
                headers, body = stream.part()
                assert is_jpeg(body) and size_of(body) == (480, 270)
                pictures[int(headers["x-frame"])] = body
        # Once the clip is through, it begins again: the number of the first picture comes a second time.
        first = min(pictures)
        assert any(pictures[n] == pictures[first] for n in pictures if n >= first + 56)
        assert pictures[first] != pictures[first + 20]
        assert process.stop() == 0


def test_images_are_sent_as_they_are(tmp_path):
    for number, grey in enumerate((40, 90, 200)):
        (tmp_path / f"{number}.jpg").write_bytes(weirlib.jpeg(96, 80, grey))
    (tmp_path / "notes.txt").write_text("no picture")
    with weirlib.start("sim", "--port", 0, "--cameras", 1, "--images", tmp_path, "--fps", 50) as process:
        port = int(process.wait_for_text(r":(\d+)/cam0")[1])
        with Stream(port) as stream:
            bodies = [stream.part()[1] for _ in range(6)]
    assert bodies == [weirlib.jpeg(96, 80, grey) for grey in (40, 90, 200)] * 2


def test_a_full_memory_ends_the_reel():
    clip = weirlib.shared("media", "one-by-one-30s.mp4")
    with weirlib.start("sim", "--port", 0, "--cameras", 1, "--clip", clip, "--fps", 200, "--memory", 1) as process:
        port = int(process.wait_for_text(r":(\d+)/cam0")[1])
        with Stream(port) as stream:
            while "fill --memory 1" not in process.stderr:
                stream.part()
            assert is_jpeg(stream.part()[1])


@pytest.mark.parametrize("arguments, said", [
    (("--clip", "/nonexistent.mp4"), "/nonexistent.mp4"),
    (("--images", "/nonexistent"), "/nonexistent"),
    (("--clip", __file__), "no video"),
    (("--fault", "cam0:nonsense"), "a kind of fault"),
    (("--fault", "cam7:stall"), "a camera"),
    (("--size", "10x10"), "--size"),
    (("--address", "nowhere"), "nowhere"),
    (("--pattern", "--clip", "x"), "exclude"),
    (("extra",), "extra"),
])
def test_wrong_use_is_one_sentence(arguments, said):
    code, _, stderr = weirlib.run("sim", "--port", 0, *arguments)
    assert code in (1, 2)
    assert said in stderr and stderr.count("\n") == 1


def test_a_busy_port(sim):
    code, _, stderr = weirlib.run("sim", "--port", sim.port)
    assert code == 1 and str(sim.port) in stderr


def test_help_names_every_fault():
    code, stdout, _ = weirlib.run("sim", "--help")
    assert code == 0
    for kind in ("stall", "wrong-boundary", "refuse", "503", "--fault", "Example"):
        assert kind in stdout
