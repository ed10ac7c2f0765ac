# SPDX-License-Identifier: Apache-2.0
"""What weir run shows while it runs, on a terminal."""

import os
import pty
import re
import select
import subprocess
import time

import weirlib


def read_until(master, pattern):
    """What the terminal got, up to the first match."""
    text, deadline = "", time.monotonic() + weirlib.TIMEOUT_S
    while not re.search(pattern, text):
        assert time.monotonic() < deadline, text
        if select.select([master], [], [], 0.1)[0]:
            text += os.read(master, 65536).decode(errors="replace")
    return text


def test_the_whole_and_the_cameras_have_a_line_each_that_is_rewritten():
    with weirlib.start("sim", "--port", 0, "--cameras", 1, "--fps", 20, "--pattern") as cameras:
        port = cameras.wait_for_text(r"127\.0\.0\.1:(\d+)").group(1)
        master, slave = pty.openpty()
        command = [weirlib.binary(), "run", "--camera", f"front=http://127.0.0.1:{port}/cam0", "--camera",
                   "gone=http://127.0.0.1:1/video", "--runtime", "null", "--web", "off"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave)
        try:
            text = read_until(master, r"inferred [1-9][\d.]*/s.*\r\n  live 1/2  gone: \w+ \(refused\)\r\x1b\[1A")
            assert "\r\x1b[J" in text, "each time over the last"
            process.terminate()
            stdout = process.communicate(timeout=weirlib.TIMEOUT_S)[0].decode()
        finally:
            process.kill()
            process.wait()
            os.close(master)
            os.close(slave)
    assert process.returncode == 0
    assert stdout.startswith("2 cameras, ") and "\x1b" not in stdout
