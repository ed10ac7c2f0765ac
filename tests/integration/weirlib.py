# SPDX-License-Identifier: Apache-2.0
"""What the integration tests share: the real binary as a process, its ports, its answers, waiting for a state.

Nothing here knows what a command does: a test says its arguments and reads its output.
"""

import contextlib
import http.server
import itertools
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 30 * float(os.environ.get("WEIR_TEST_SLOWNESS", "1"))  # sanitizers and valgrind: 5 or more

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def binary():
    path = pathlib.Path(os.environ.get("WEIR_BINARY", ROOT / "build" / "weir"))
    if not path.exists():
        pytest.fail(f"{path} is not there: build first, or set WEIR_BINARY")
    return str(path)


def shared(*parts):
    """A file of the shared test data; skips the test where it is not there."""
    path = pathlib.Path(os.environ.get("WEIR_SHARED", ROOT.parent / "shared"), *parts)
    if not path.exists():
        pytest.skip(f"{path} is not there: set WEIR_SHARED to the folder with models and media")
    return str(path)


def wait_until(condition, what, timeout_s=None):
    """Calls condition until it returns something true, and returns that."""
    deadline = time.monotonic() + (timeout_s or TIMEOUT_S)
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"timed out waiting for: {what}")
        time.sleep(0.05)


class Process:
    """A running command. Its output is read all the time, so that it never blocks on a full pipe."""

    def __init__(self, *arguments, env=None, cwd=None):
        self.command = [binary(), *map(str, arguments)]
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})}, cwd=cwd)
        self._text = {"stdout": bytearray(), "stderr": bytearray()}
        self._readers = [threading.Thread(target=self._read, args=(name,), daemon=True) for name in self._text]
        for reader in self._readers:
            reader.start()

    def _read(self, name):
        pipe = getattr(self.process, name)
        for piece in iter(lambda: pipe.read1(65536), b""):
            self._text[name] += piece

    @property
    def stdout(self):
        return self._text["stdout"].decode(errors="replace")

    @property
    def stderr(self):
        return self._text["stderr"].decode(errors="replace")

    @property
    def pid(self):
        return self.process.pid

    def wait_for_text(self, pattern, timeout_s=None):
        """Waits until a regular expression is found in stdout or stderr; returns the match."""
        compiled = re.compile(pattern)

        def look():
            if self.process.poll() is not None:
                for reader in self._readers:
                    reader.join(5)
            found = compiled.search(self.stdout) or compiled.search(self.stderr)
            if found is None and self.process.poll() is not None:
                raise AssertionError(f"{self.command} ended with {self.process.returncode} before it said "
                                     f"{pattern!r}\nstdout: {self.stdout}\nstderr: {self.stderr}")
            return found

        return wait_until(look, f"{pattern!r} from {self.command}", timeout_s)

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, timeout_s=None):
        code = self.process.wait(timeout_s or TIMEOUT_S)
        for reader in self._readers:
            reader.join(5)
        return code

    def stop(self, timeout_s=None):
        """Asks it to end and returns its exit code."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.wait(timeout_s)


@contextlib.contextmanager
def start(*arguments, **options):
    """A command for the length of a with block; killed at its end if it still runs then."""
    process = Process(*arguments, **options)
    try:
        yield process
    finally:
        if process.process.poll() is None:
            process.process.kill()
        process.wait()


def run(*arguments, timeout_s=None, **options):
    """A command to its end: (exit code, stdout, stderr)."""
    with start(*arguments, **options) as process:
        code = process.wait(timeout_s)
        return code, process.stdout, process.stderr


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


def ask(url, body=None, method=None, headers=None, timeout_s=None):
    """One request; every status is an Answer, only a broken connection is an exception."""
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with _opener.open(request, timeout=timeout_s or TIMEOUT_S) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.headers, error.read())


def jpeg(width=64, height=48, grey=128):
    """A grey baseline JPEG, made by hand: 8x8 blocks that all have the same DC value and nothing else.

    ITU T.81: one component, quantisation by 1, one DC code (category 0 to 11), one AC code (end of block).
    """
    def segment(marker, payload):
        return bytes([0xFF, marker]) + (len(payload) + 2).to_bytes(2, "big") + payload

    # Codes of 4 bits for the categories 0 to 11: the value of the code is the category.
    dc_table = bytes([0x00, 0, 0, 0, 12] + [0] * 12) + bytes(range(12))
    ac_table = bytes([0x10, 1] + [0] * 15) + bytes([0x00])
    dc = (grey - 128) * 8
    size = abs(dc).bit_length()
    value = dc if dc >= 0 else dc + (1 << size) - 1
    bits = format(size, "04b") + (format(value, f"0{size}b") if size else "") + "0"
    blocks = -(-width // 8) * -(-height // 8)
    bits += "00000" * (blocks - 1)  # the same DC again: difference 0, end of block
    bits += "1" * (-len(bits) % 8)
    scan = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\x00")
    return (b"\xff\xd8" + segment(0xDB, bytes([0] + [1] * 64))
            + segment(0xC0, bytes([8, *height.to_bytes(2, "big"), *width.to_bytes(2, "big"), 1, 1, 0x11, 0]))
            + segment(0xC4, dc_table) + segment(0xC4, ac_table)
            + segment(0xDA, bytes([1, 1, 0x00, 0, 63, 0])) + scan + b"\xff\xd9")


class _Server(http.server.ThreadingHTTPServer):
    """Closing it cuts the connections that are open, as a power cut would."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, handler, port=0):
        super().__init__(("127.0.0.1", port), handler)
        self.open = set()
        self.closed = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def get_request(self):
        connection, address = super().get_request()
        self.open.add(connection)
        return connection, address

    def handle_error(self, request, client_address):
        pass  # the other side went away

    def close(self):
        if self.closed.is_set():
            return
        self.closed.set()
        self.shutdown()
        self.server_close()
        for connection in list(self.open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class Camera:
    """An MJPEG camera under /video that does not share a line with weir. Each frame has another grey."""

    GREYS = range(40, 200, 8)

    def __init__(self, fps=10, width=640, height=480, port=0):
        frames = [jpeg(width, height, grey) for grey in self.GREYS]
        camera = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                for number in itertools.count():
                    if camera.server.closed.wait(1 / fps):
                        return
                    frame = frames[number % len(frames)]
                    self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n"
                                     % (len(frame), frame))

            def log_message(self, *_):
                pass

        self.server = _Server(Handler, port)
        self.port = self.server.port
        self.url = f"http://127.0.0.1:{self.port}/video"

    def close(self):
        self.server.close()


class Detector:
    """A detector service that gives every picture the same answer."""

    def __init__(self, detections, width=640, height=480, delay_s=0):
        body = json.dumps({"detections": detections, "width": width, "height": height}).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(delay_s)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = _Server(Handler)
        self.url = f"http://127.0.0.1:{self.server.port}/detect"

    def close(self):
        self.server.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]
