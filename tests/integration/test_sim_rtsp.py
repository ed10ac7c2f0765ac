# SPDX-License-Identifier: Apache-2.0
"""The simulator over RTSP, read by hand: RFC 2326 for the talk, RFC 3550 and RFC 6184 for the packets."""

import re
import socket
import struct

import pytest

import weirlib

FPS = 12  # of the clip


class Session:
    def __init__(self, port, camera=0):
        self.url = f"rtsp://127.0.0.1:{port}/cam{camera}"
        self.socket = socket.create_connection(("127.0.0.1", port), weirlib.TIMEOUT_S)
        self.data = b""
        self.sequence = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def need(self, size):
        while len(self.data) < size:
            piece = self.socket.recv(65536)
            if not piece:
                raise EOFError
            self.data += piece

    def take(self, size):
        self.need(size)
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def send(self, method, url=None, **headers):
        self.sequence += 1
        lines = [f"{method} {url or self.url} RTSP/1.0", f"CSeq: {self.sequence}",
                 *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        self.socket.sendall("\r\n".join(lines).encode())

    def answer(self):
        """(status, headers, body) of the answer to the last request; packets before it are skipped."""
        while True:
            self.need(4)
            if self.data[:1] != b"$":
                break
            self.take(4 + int.from_bytes(self.data[2:4], "big"))
        while b"\r\n\r\n" not in self.data:
            self.need(len(self.data) + 1)
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        assert headers["cseq"] == str(self.sequence)
        return int(first.split()[1]), headers, self.take(int(headers["content-length"])).decode()

    def ask(self, method, url=None, **headers):
        self.send(method, url, **headers)
        return self.answer()

    def play(self, transport="RTP/AVP/TCP;unicast;interleaved=0-1"):
        status, _, sdp = self.ask("DESCRIBE", Accept="application/sdp")
        assert status == 200
        status, headers, _ = self.ask("SETUP", f"{self.url}/streamid=0", Transport=transport)
        assert status == 200
        assert self.ask("PLAY", Session="1")[0] == 200
        return sdp, headers

    def packet(self):
        """(channel, bytes) of the next packet within the connection."""
        head = self.take(4)
        assert head[:1] == b"$"
        return head[1], self.take(int.from_bytes(head[2:], "big"))


def rtp(packet):
    """(marker, sequence, time stamp, payload)"""
    first, second, sequence, stamp, _ = struct.unpack("!BBHII", packet[:12])
    assert first == 0x80 and second & 0x7F == 96
    return second >> 7, sequence, stamp, packet[12:]


def in_order(stamps):
    """Time stamps counted from the first and sorted; they begin anywhere and wrap at 2^32."""
    return sorted((stamp - stamps[0] + 2**31) % 2**32 - 2**31 for stamp in stamps)


@pytest.fixture
def sim():
    clip = weirlib.shared("media", "two-people-faces-5s.mp4")
    with weirlib.start("sim", "--port", 0, "--rtsp-port", 0, "--cameras", 2, "--clip", clip) as process:
        process.rtsp = int(process.wait_for_text(r"rtsp://127.0.0.1:(\d+)/cam0")[1])
        process.http = int(re.search(r"http://127.0.0.1:(\d+)/", process.stdout)[1])
        process.fault = lambda kind, camera=0: weirlib.ask(
            f"http://127.0.0.1:{process.http}/fault?camera={camera}&kind={kind}", method="POST")
        yield process
        assert process.stop() == 0


def test_the_talk(sim):
    with Session(sim.rtsp) as session:
        status, headers, _ = session.ask("OPTIONS")
        assert status == 200 and "DESCRIBE" in headers["public"]
        assert session.ask("PLAY", Session="1")[0] == 455
        assert session.ask("RECORD")[0] == 501
        status, headers, sdp = session.ask("DESCRIBE")
        assert headers["content-type"] == "application/sdp"
        assert "m=video" in sdp and "H264/90000" in sdp and "sprop-parameter-sets=" in sdp
        assert session.ask("SETUP", Transport="RTP/AVP;unicast")[0] == 461
        assert session.ask("GET_PARAMETER")[0] == 200
        session.send("TEARDOWN")
        with pytest.raises(EOFError):
            session.need(1)
    with Session(sim.rtsp, camera=9) as session:
        assert session.ask("DESCRIBE")[0] == 404


def test_packets_within_the_connection(sim):
    with Session(sim.rtsp) as session:
        session.play()
        sequences, frames, reports = [], [], 0
        while len(frames) < 2 * FPS:
            channel, packet = session.packet()
            if channel == 1:
                assert packet[1] in (200, 202, 203)
                reports += 1
                continue
            marker, sequence, stamp, payload = rtp(packet)
            assert len(packet) <= 1400 and payload
            sequences.append(sequence)
            if marker:
                frames.append(stamp)
        assert [(b - a) % 65536 for a, b in zip(sequences, sequences[1:])] == [1] * (len(sequences) - 1)
        shown = in_order(frames)[:-4]  # sent in the order of decoding: the last ones have gaps yet
        assert {b - a for a, b in zip(shown, shown[1:])} == {90000 // FPS}
        assert reports >= 1
        assert session.ask("GET_PARAMETER")[0] == 200


def test_the_clip_goes_on_over_its_end(sim):
    with Session(sim.rtsp) as session:
        session.play()
        stamps = []
        while len(stamps) < 56 + FPS:
            channel, packet = session.packet()
            if channel == 0 and rtp(packet)[0]:
                stamps.append(rtp(packet)[2])
        shown = in_order(stamps)[:-4]
        assert [stamp - shown[0] for stamp in shown] == [number * 90000 // FPS for number in range(len(shown))]


def test_udp(sim):
    with Session(sim.rtsp) as session, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(weirlib.TIMEOUT_S)
        port = receiver.getsockname()[1]
        _, headers = session.play(f"RTP/AVP;unicast;client_port={port}-{port + 1}")
        assert f"client_port={port}-{port + 1}" in headers["transport"] and "server_port=" in headers["transport"]
        marks = 0
        while marks < 5:
            marks += rtp(receiver.recv(2048))[0]


def test_loss_leaves_gaps(sim):
    sim.fault("loss")
    with Session(sim.rtsp) as session:
        session.play()
        sequences = []
        while len(sequences) < 150:
            channel, packet = session.packet()
            if channel == 0:
                sequences.append(rtp(packet)[1])
        lost = sum((b - a) % 65536 - 1 for a, b in zip(sequences, sequences[1:]))
        assert 3 < lost < 50


def test_faults_end_or_stop_the_session(sim):
    with Session(sim.rtsp) as session:
        session.play()
        session.packet()
        sim.fault("cut")
        with pytest.raises((EOFError, ConnectionResetError)):
            while True:
                session.packet()
    sim.fault("401")
    with Session(sim.rtsp) as session:
        status, headers, _ = session.ask("DESCRIBE")
        assert status == 401 and "Basic" in headers["www-authenticate"]
    sim.fault("none")
    with Session(sim.rtsp) as session:
        session.play()
        session.packet()
        sim.fault("stall")
        assert session.ask("GET_PARAMETER")[0] == 200
        session.data = b""
        session.socket.settimeout(1)
        with pytest.raises(socket.timeout):
            session.need(1)


def test_rubbish_closes_the_connection(sim):
    for rubbish in (b"A" * 5000, b"\r\n\r\n", b"$\x00\xff\xff"):
        with socket.create_connection(("127.0.0.1", sim.rtsp), weirlib.TIMEOUT_S) as connection:
            connection.sendall(rubbish)
            try:
                assert connection.recv(1) == b""
            except ConnectionResetError:
                pass


def test_rtsp_needs_a_clip():
    code, _, stderr = weirlib.run("sim", "--port", 0, "--rtsp-port", 0)
    assert code == 1 and "--clip" in stderr and stderr.count("\n") == 1
