# SPDX-License-Identifier: Apache-2.0
"""Motion JPEG without Huffman tables (many USB cameras): it is looked at, and what weir passes on is complete."""

import http.server
import threading

import pytest
import weirlib

DHT = b"\xff\xc4"


def segments(jpeg):
    """(marker, offset, size) of each segment up to the picture data."""
    at = 2
    while True:
        size = 2 + int.from_bytes(jpeg[at + 2:at + 4], "big")
        yield jpeg[at:at + 2], at, size
        if jpeg[at + 1] == 0xDA:
            return
        at += size


def without_tables(jpeg):
    for marker, at, size in reversed(list(segments(jpeg))):
        if marker == DHT:
            jpeg = jpeg[:at] + jpeg[at + size:]
    return jpeg


def markers(jpeg):
    return [marker for marker, _, _ in segments(jpeg)]


@pytest.fixture
def camera(tmp_path):
    """The address of a camera that leaves them out."""
    with weirlib.start("sim", "--port", 0, "--cameras", 1) as drawing:
        url = drawing.wait_for_text(r"(http://\S+/cam0)")[1]
        whole = weirlib.ask(f"{url}.jpg").body  # drawn with the standard tables
    bare = without_tables(whole)
    assert DHT in markers(whole) and DHT not in markers(bare)
    (tmp_path / "bare.jpg").write_bytes(bare)
    with weirlib.start("sim", "--port", 0, "--cameras", 1, "--images", tmp_path) as sim:
        url = sim.wait_for_text(r"(http://\S+/cam0)")[1]
        assert weirlib.ask(f"{url}.jpg").body == bare
        yield url


def test_a_snapshot_has_them(camera):
    with weirlib.start("run", "--camera", f"usb={camera}", "--runtime", "null", "--web", "127.0.0.1:0") as run:
        web = run.wait_for_text(r"(http://127\.0\.0\.1:\d+)")[1]
        url = f"{web}/api/v1/cameras/usb/snapshot.jpg"
        weirlib.wait_until(lambda: weirlib.ask(url).status == 200, "a snapshot")
        answer = weirlib.ask(url)
        assert markers(answer.body).count(DHT) == 1
        assert int(answer.headers["Content-Length"]) == len(answer.body)
        assert run.stop() == 0


def test_a_service_gets_them(camera):
    got = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            body = b'{"detections": []}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}/detect"
        with weirlib.start("run", "--camera", f"usb={camera}", "--detector", url, "--web", "off") as run:
            weirlib.wait_until(lambda: got, "a picture at the service")
            assert run.stop() == 0
    finally:
        server.shutdown()
        server.server_close()
    assert markers(got[0]).count(DHT) == 1
