# SPDX-License-Identifier: Apache-2.0
"""weir serve: JPEG in, detections out, over real HTTP."""

import http.client
import signal
import socket
import threading
import time

import pytest
import weirlib

JPEG = weirlib.jpeg()


@pytest.fixture
def serve():
    """Starts `weir serve --runtime null` with the given options; the URL of the service."""
    running = []

    def start(*options):
        context = weirlib.start("serve", "--runtime", "null", "--port", 0, *options)
        process = context.__enter__()
        running.append(context)
        url = process.wait_for_text(r"listening on (http://\S+/)detect").group(1)
        return process, url

    yield start
    for context in running:
        context.__exit__(None, None, None)


def error_code(answer):
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json["error"]["message"]
    return answer.json["error"]["code"]


def test_a_jpeg_is_answered_with_detections(serve):
    _, url = serve("--null-ms", 5)
    answer = weirlib.ask(url + "detect", JPEG)
    assert answer.status == 200
    assert answer.json["status"] == "ok"
    assert (answer.json["width"], answer.json["height"]) == (64, 48)
    assert isinstance(answer.json["detections"], list)
    assert answer.json["inferenceMs"] >= 5
    for detection in answer.json["detections"]:
        assert set(detection) >= {"label", "class", "score", "box"}


@pytest.mark.parametrize("body, status, code", [
    (b"", 400, "empty_body"),
    (b"hello", 400, "jpeg_invalid"),
    (JPEG[:-20], 400, "jpeg_truncated"),
    (b"\xff\xd8\xff\xd9", 400, "jpeg_invalid"),
])
def test_what_is_no_picture_is_said(serve, body, status, code):
    _, url = serve()
    answer = weirlib.ask(url + "detect", body, method="POST")
    assert (answer.status, error_code(answer)) == (status, code)
    assert weirlib.ask(url + "detect", JPEG).status == 200


def test_other_methods_and_paths_are_refused(serve):
    _, url = serve()
    answer = weirlib.ask(url + "detect")
    assert (answer.status, error_code(answer)) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "POST"
    answer = weirlib.ask(url + "nothing", JPEG)
    assert (answer.status, error_code(answer)) == (404, "not_found")
    assert weirlib.ask(url + "detect", JPEG, method="PUT").status == 405


def test_a_body_over_the_limit_is_refused(serve):
    _, url = serve()
    answer = weirlib.ask(url + "detect", bytes((16 << 20) + 1))
    assert (answer.status, error_code(answer)) == (413, "body_too_large")
    assert weirlib.ask(url + "detect", JPEG).status == 200


def test_one_connection_serves_many_requests(serve):
    _, url = serve()
    host, port = url.split("/")[2].split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=weirlib.TIMEOUT_S)
    connection.connect()
    mine = connection.sock.getsockname()
    for _ in range(20):
        connection.request("POST", "/detect", JPEG)
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
        assert connection.sock is not None and connection.sock.getsockname() == mine
    connection.close()


def post_at_once(url, count):
    """`count` clients that post at the same moment: their answers."""
    answers = [None] * count
    barrier = threading.Barrier(count)

    def post(i):
        barrier.wait()
        answers[i] = weirlib.ask(url + "detect", JPEG)

    threads = [threading.Thread(target=post, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_eight_clients_are_served_at_once(serve):
    """Run time 1 s each: one after another it would be 8 s."""
    _, url = serve("--null-ms", 1000)
    start = time.monotonic()
    answers = post_at_once(url, 8)
    assert [answer.status for answer in answers] == [200] * 8
    assert time.monotonic() - start < 4


def test_overload_is_refused_at_once_and_goes_away(serve):
    _, url = serve("--null-ms", 1000, "--workers", 1, "--queue", 2)
    answers = post_at_once(url, 12)
    refused = [answer for answer in answers if answer.status == 503]
    # One with the worker and two waiting; a slow machine may let a few more in one after another.
    assert 3 <= len(answers) - len(refused) <= 6
    assert {answer.status for answer in answers} == {200, 503}
    assert {error_code(answer) for answer in refused} == {"overloaded"}
    assert {answer.headers["Retry-After"] for answer in refused} == {"1"}
    assert weirlib.ask(url + "detect", JPEG).status == 200


def test_health_and_metrics_count(serve):
    _, url = serve()
    health = weirlib.ask(url + "healthz")
    assert (health.status, health.json["state"], health.json["workers"]) == (200, "running", 8)
    weirlib.ask(url + "detect", JPEG)
    weirlib.ask(url + "detect", b"x")
    metrics = weirlib.ask(url + "metrics").text
    assert "\nweir_serve_answered_total 1\n" in metrics
    assert "\nweir_serve_requests_total 2\n" in metrics
    assert '\nweir_serve_failed_total{reason="jpeg_invalid"} 1\n' in metrics


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_answers_what_was_taken_and_ends(serve, number):
    process, url = serve("--null-ms", 1500)
    answers = []
    client = threading.Thread(target=lambda: answers.append(weirlib.ask(url + "detect", JPEG)))
    client.start()
    weirlib.wait_until(lambda: "\nweir_serve_running 1\n" in weirlib.ask(url + "metrics").text, "the request to run")
    process.signal(number)
    client.join()
    assert [answer.status for answer in answers] == [200]
    assert process.wait() == 0


def test_a_half_dead_client_does_not_delay_the_end(serve):
    process, url = serve()
    host, port = url.split("/")[2].split(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(b"POST /detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
        assert weirlib.ask(url + "detect", JPEG).status == 200
        start = time.monotonic()
        assert process.stop() == 0
        assert time.monotonic() - start < 5


def test_a_busy_port_is_one_sentence(serve):
    _, url = serve()
    port = url.split(":")[2].rstrip("/")
    code, _, stderr = weirlib.run("serve", "--runtime", "null", "--port", port)
    assert code == 1
    assert f"port {port} on 127.0.0.1 is in use by another program" in stderr
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("options, words", [
    (["--port", "70000"], "--port: expected a whole number from 0 to 65535"),
    (["--workers", "0"], "--workers: expected a whole number from 1 to 256"),
    (["--threshold", "1.5"], "--threshold: expected a number from 0 to 1"),
    (["--nonsense"], "--nonsense: there is no such option"),
    (["--port"], "--port: expected a value"),
    (["picture.jpg"], "expected options only"),
])
def test_a_wrong_option_is_named(options, words):
    code, _, stderr = weirlib.run("serve", *options)
    assert code == 2
    assert words in stderr
