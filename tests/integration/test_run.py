# SPDX-License-Identifier: Apache-2.0
"""weir run, as a user runs it: simulated cameras, a detector, results, books, the end."""

import fcntl
import json
import os
import re
import signal
import subprocess
import time

import pytest
import weirlib

SLOW = float(os.environ.get("WEIR_TEST_SLOWNESS", "1"))


def sim(*arguments):
    return weirlib.start("sim", "--port", 0, *arguments)


def camera_urls(process, count):
    port = process.wait_for_text(r"127\.0\.0\.1:(\d+)").group(1)
    return [f"http://127.0.0.1:{port}/cam{i}" for i in range(count)]


def camera_arguments(urls):
    return [part for i, url in enumerate(urls) for part in ("--camera", f"cam{i}={url}")]


def serve(*arguments):
    return weirlib.start("serve", "--port", 0, "--log-level", "warn", *arguments)


def detect_url(process):
    return process.wait_for_text(r"(http://\S+detect)").group(1)


def stats(stdout):
    found = re.search(r"^stats: \{'read': (\d+), 'dropped': (\d+), 'inferred': (\d+), 'published': (\d+)\}$", stdout, re.M)
    assert found, stdout
    return dict(zip(("read", "dropped", "inferred", "published"), map(int, found.groups())))


def balanced(books):
    ended = books["inferred"] + books["dropped"] + books["failed"]
    assert books["dropped"] == sum(books["droppedBy"].values())
    assert books["failed"] == sum(books["failedBy"].values())
    assert books["read"] == books["waiting"] + books["running"] + ended
    assert books["inferred"] == books["publishing"] + books["published"] + books["unpublished"]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_references_scene(tmp_path):
    """4 cameras at 25 fps, a service that takes 20 ms, 8 workers: nothing dropped, and the summary's form to the letter."""
    with sim("--cameras", 4, "--fps", 25, "--pattern") as cameras, serve("--runtime", "null", "--null-ms", 20) as service:
        results = tmp_path / "results.jsonl"
        code, stdout, stderr = weirlib.run(
            "run", *camera_arguments(camera_urls(cameras, 4)), "--detector", detect_url(service),
            "--seconds", 4, "--web", "off", "--jsonl", results)
    assert code == 0, stderr
    assert stdout.startswith("4 cameras, 8 inference workers\n\nran ")
    assert re.search(r"^ran \d+\.\ds$", stdout, re.M)
    assert re.search(r"^throughput: \d+\.\d frames/s inferred$", stdout, re.M)
    assert re.search(r"^age: p50 \d+ ms, p95 \d+ ms, p99 \d+ ms \(capture to published\)$", stdout, re.M)
    assert "\ndropped: none · failed: none\n" in stdout or SLOW > 1
    assert re.search(r"^bottleneck: \w+; workers \d+ % busy$", stdout, re.M)
    numbers = stats(stdout)
    assert numbers["published"] == numbers["inferred"] == len(lines(results))
    assert numbers["read"] == numbers["inferred"] + numbers["dropped"]
    if SLOW == 1:
        assert numbers["dropped"] == 0
        assert numbers["read"] >= 4 * 25 * 4 * 0.9


def test_each_line_says_camera_sequence_time_status_and_timings(tmp_path):
    results = tmp_path / "results.jsonl"
    with sim("--cameras", 2, "--fps", 20, "--pattern") as cameras:
        code, _, stderr = weirlib.run("run", *camera_arguments(camera_urls(cameras, 2)), "--runtime", "null",
                                      "--seconds", 2, "--web", "off", "--jsonl", results)
    assert code == 0, stderr
    rows = lines(results)
    for camera in ("cam0", "cam1"):
        sequences = [row["sequence"] for row in rows if row["camera"] == camera]
        assert len(sequences) > 5
        assert sequences == sorted(set(sequences)), "in order, none twice"
    for row in rows:
        assert row["status"] == "ok" and row["detections"] == []
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", row["captured"])
        assert row["timings"]["queueMs"] >= 0 and row["timings"]["inferenceMs"] >= 0 and row["ageMs"] > 0


@pytest.mark.parametrize("policy,reason", [("newest", "superseded"), ("fifo-drop-newest", "queue_full"),
                                           ("fifo-drop-oldest", "queue_full")])
def test_overload_drops_by_reason_and_the_books_balance_at_every_moment(policy, reason):
    port = weirlib.free_port()
    with sim("--cameras", 6, "--fps", 30, "--pattern") as cameras, \
         weirlib.start("run", *camera_arguments(camera_urls(cameras, 6)), "--runtime", "null", "--null-ms", 50,
                       "--workers", 2, "--queue", 4, "--policy", policy, "--web", f"127.0.0.1:{port}", "--json") as process:
        process.wait_for_text("dashboard")
        end = time.monotonic() + 3
        looked = 0
        while time.monotonic() < end:
            status = weirlib.ask(f"http://127.0.0.1:{port}/api/v1/status").json
            for books in [status["books"], *(camera["books"] for camera in status["cameras"])]:
                balanced(books)
            looked += 1
        assert looked > 5
        assert process.stop() == 0
        summary = json.loads(process.stdout.strip().splitlines()[-1])
    balanced(summary["books"])
    assert summary["books"]["waiting"] == summary["books"]["running"] == summary["books"]["publishing"] == 0
    assert summary["books"]["published"] == summary["books"]["inferred"] > 0
    assert summary["books"]["droppedBy"][reason] > 0
    assert summary["bottleneck"] == "inference"
    served = [camera["books"]["inferred"] for camera in summary["cameras"]]
    if policy == "newest":
        assert min(served) >= 0.7 * max(served)


def test_what_was_inferred_is_published_with_a_slow_detector_and_full_queues(tmp_path):
    results = tmp_path / "results.jsonl"
    with sim("--cameras", 4, "--fps", 30, "--pattern") as cameras, \
         weirlib.start("run", *camera_arguments(camera_urls(cameras, 4)), "--runtime", "null", "--null-ms", 200,
                       "--policy", "fifo-drop-newest", "--queue", 8, "--workers", 2, "--web", "off",
                       "--jsonl", results) as process:
        weirlib.wait_until(lambda: results.exists() and len(results.read_text().splitlines()) > 4, "some results")
        assert process.stop() == 0
        numbers = stats(process.stdout)
    assert numbers["inferred"] == numbers["published"] == len(lines(results))
    assert "shutdown" not in process.stdout, "what waited was finished"


def test_a_reader_that_stops_reading_does_not_hold_up_the_end():
    """Results to a pipe that nobody reads: the bounded queue fills, workers wait, and the end still comes."""
    with sim("--cameras", 4, "--fps", 30, "--pattern") as cameras:
        urls = camera_urls(cameras, 4)
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)  # full after some lines, on a slow machine too
        command = [weirlib.binary(), "run", *map(str, camera_arguments(urls)), "--runtime", "null", "--queue", "4", "--web",
                   "off", "--jsonl", "-", "--shutdown-timeout-s", "1"]
        process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        time.sleep(3 * SLOW)
        process.send_signal(signal.SIGTERM)
        stderr = process.communicate(timeout=weirlib.TIMEOUT_S)[1].decode()
        os.close(reader)
    assert process.returncode == 1
    assert "standard output" in stderr


def test_every_frame_of_a_live_camera_when_asked():
    with sim("--cameras", 2, "--fps", 25, "--pattern") as cameras:
        code, stdout, stderr = weirlib.run("run", *camera_arguments(camera_urls(cameras, 2)), "--runtime", "null", "--null-ms",
                                           60, "--policy", "every", "--seconds", 3, "--web", "off")
    assert code == 0, stderr
    numbers = stats(stdout)
    assert numbers["dropped"] == 0 and numbers["read"] == numbers["inferred"] == numbers["published"] > 20
    assert "dropped: none · failed: none" in stdout, "a part that our own closing cuts is not counted"


def test_cameras_that_are_not_there_are_named_with_their_reason():
    code, stdout, stderr = weirlib.run("run", "--camera", f"gone=http://127.0.0.1:{weirlib.free_port()}/video", "--runtime",
                                       "null", "--seconds", 2, "--web", "off")
    assert code == 1, "a wrong address is an error when no frame came in the whole run"
    assert "weir run: no frame came from any camera; gone: refused" in stderr
    assert stats(stdout)["read"] == 0
    assert re.search(r"^camera gone: read 0, \d+ reconnects, last reason refused", stdout, re.M), stdout
    assert "bottleneck: cameras;" in stdout


def test_a_second_signal_ends_at_once():
    with sim("--cameras", 2, "--fps", 10, "--pattern") as cameras, \
         weirlib.start("run", *camera_arguments(camera_urls(cameras, 2)), "--runtime", "null", "--null-ms", 20000,
                       "--workers", 2, "--web", "off") as process:
        process.wait_for_text(r"2 cameras")
        time.sleep(2 * SLOW)
        process.signal(signal.SIGTERM)
        time.sleep(0.5 * SLOW)
        began = time.monotonic()
        process.signal(signal.SIGTERM)
        assert process.wait() == 128 + signal.SIGTERM
        assert time.monotonic() - began < 2 * SLOW


def test_files_are_looked_at_frame_by_frame_and_the_run_ends_with_them(tmp_path):
    clip = weirlib.shared("media", "two-people-faces-5s.mp4")  # 56 frames
    results = tmp_path / "results.jsonl"
    code, stdout, stderr = weirlib.run("run", "--camera", f"clip={clip}", "--runtime", "null", "--null-ms", 5,
                                       "--web", "off", "--jsonl", results)
    assert code == 0, stderr
    assert stats(stdout) == {"read": 56, "dropped": 0, "inferred": 56, "published": 56}
    assert [row["sequence"] for row in lines(results)] == list(range(1, 57))


def test_a_file_in_real_time_and_in_a_loop(tmp_path):
    clip = weirlib.shared("media", "two-people-faces-5s.mp4")  # 12 frames a second
    code, stdout, stderr = weirlib.run("run", "--camera", f"clip={clip}", "--runtime", "null", "--web", "off", "--realtime",
                                       "--seconds", 3)
    assert code == 0, stderr
    assert 25 <= stats(stdout)["read"] <= 40 or SLOW > 1
    code, stdout, stderr = weirlib.run("run", "--camera", f"clip={clip}", "--runtime", "null", "--web", "off", "--loop",
                                       "--seconds", 2)
    assert code == 0, stderr
    assert stats(stdout)["read"] > 56


def test_a_file_that_can_not_be_played_is_said_at_once(tmp_path):
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(b"no video" * 100)
    for path, words in ((bad, "bad.mp4"), (tmp_path / "none.mp4", "No such file")):
        code, _, stderr = weirlib.run("run", "--camera", f"clip={path}", "--runtime", "null", "--web", "off")
        assert code == 1 and words in stderr.splitlines()[-1], stderr


def test_rtsp_with_its_camera_going_away_and_coming_back():
    clip = weirlib.shared("media", "two-people-faces-5s.mp4")
    port, web = weirlib.free_port(), weirlib.free_port()
    arguments = ("sim", "--port", 0, "--rtsp-port", port, "--cameras", 1, "--clip", clip)

    def camera():
        return weirlib.ask(f"http://127.0.0.1:{web}/api/v1/status").json["cameras"][0]

    def is_live():
        return camera()["state"] == "live"
    with weirlib.start(*arguments) as sim:
        sim.wait_for_text("rtsp://")
        with weirlib.start("run", "--camera", f"yard=rtsp://127.0.0.1:{port}/cam0", "--runtime", "null", "--web",
                           f"127.0.0.1:{web}", "--stall-timeout-s", 2 * SLOW) as process:
            process.wait_for_text("dashboard")
            weirlib.wait_until(is_live, "live over RTSP")
            weirlib.wait_until(lambda: camera()["books"]["published"] > 10, "frames over RTSP")
            sim.stop()
            weirlib.wait_until(lambda: not is_live(), "its end is noticed")
            with weirlib.start(*arguments):
                weirlib.wait_until(is_live, "live again by itself")
                assert process.stop() == 0


def test_a_frame_that_hangs_in_the_detector_does_not_keep_the_program():
    with sim("--cameras", 1, "--fps", 10, "--pattern") as cameras, \
         weirlib.start("run", *camera_arguments(camera_urls(cameras, 1)), "--runtime", "null", "--null-ms", 60000,
                       "--web", "off", "--shutdown-timeout-s", 0.5) as process:
        process.wait_for_text(r"1 cameras")
        time.sleep(1.5 * SLOW)
        began = time.monotonic()
        assert process.stop() == 1
        assert time.monotonic() - began < 10 * SLOW
        assert "still with the detector" in process.stderr
        assert stats(process.stdout)["inferred"] == 0


def test_a_detector_that_goes_away_and_comes_back(tmp_path):
    results = tmp_path / "results.jsonl"
    port = weirlib.free_port()
    with sim("--cameras", 1, "--fps", 20, "--pattern") as cameras, \
         weirlib.start("run", *camera_arguments(camera_urls(cameras, 1)), "--detector", f"http://127.0.0.1:{port}/detect",
                       "--web", "off", "--jsonl", results) as process:
        def statuses():
            return [(row["status"], row.get("reason")) for row in lines(results)] if results.exists() else []
        weirlib.wait_until(lambda: ("failed", "detector_unreachable") in statuses(), "failures with their reason")
        with weirlib.start("serve", "--runtime", "null", "--port", port, "--log-level", "warn"):
            weirlib.wait_until(lambda: ("ok", None) in statuses(), "results once the service is there")
        assert process.stop() == 0
    assert "detector_unreachable" in process.stdout


def test_the_configuration_file_and_the_command_line(tmp_path):
    config = tmp_path / "weir.yaml"
    with sim("--cameras", 2, "--fps", 20, "--pattern") as cameras:
        urls = camera_urls(cameras, 2)
        config.write_text(f'runtime: "null"\nweb: "off"\nseconds: 60\ncameras:\n'
                          f"  - name: front\n    url: {urls[0]}\n"
                          f"  - name: back\n    url: {urls[1]}\n    policy: fifo-drop-newest\n")
        code, stdout, stderr = weirlib.run("run", "-c", config, "--seconds", 1.5)
    assert code == 0, stderr
    assert stdout.startswith("2 cameras, ")
    assert stats(stdout)["inferred"] > 10
