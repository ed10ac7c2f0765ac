# SPDX-License-Identifier: Apache-2.0
"""What a user can get wrong with weir run and weir detect: one clear sentence and a non-zero code each."""

import socket
import subprocess

import pytest
import weirlib

CAMERA = ("--camera", "front=http://127.0.0.1:9/video")


def refused(*arguments, words, **options):
    code, stdout, stderr = weirlib.run(*arguments, **options)
    assert code in (1, 2), (code, stdout, stderr)
    last = stderr.strip().splitlines()[-1]
    assert last.startswith(f"weir {arguments[0]}: "), stderr
    for word in words:
        assert word in last, last
    return last


def run(*arguments, words, **options):
    return refused("run", "--web", "off", "--seconds", 5, *arguments, words=words, **options)


def test_no_camera():
    run("--runtime", "null", words=["camera"])


@pytest.mark.parametrize("camera,words", [
    ("front", ["NAME=URL"]),
    ("front=gopher://x/video", ["gopher"]),
    ("=http://127.0.0.1/video", ["NAME=URL"]),
])
def test_a_camera_that_can_not_be_used(camera, words):
    run("--runtime", "null", "--camera", camera, words=words)


def test_a_run_that_saw_no_frame():
    with socket.socket() as closed:  # bound, so that nobody else takes the port; not listening, so that it refuses
        closed.bind(("127.0.0.1", 0))
        camera = f"front=http://127.0.0.1:{closed.getsockname()[1]}/video"
        refused("run", "--web", "off", "--seconds", 1, "--runtime", "null", "--camera", camera,
                words=["no frame", "front", "refused"])


def test_an_unknown_command_names_the_nearest():
    code, _, stderr = weirlib.run("detcet")
    assert code == 2 and '"detect"' in stderr
    assert weirlib.run("help", "detect")[:2] == weirlib.run("detect", "--help")[:2]


def test_a_password_that_breaks_an_address_is_refused_and_not_repeated():
    last = run("--runtime", "null", "--camera", "front=http://user:p@s3cret@127.0.0.1/video", words=["front", "%40"])
    assert "s3cret" not in last


def test_an_unknown_option_names_the_nearest():
    run("--quue", 3, words=["--quue", "--queue"])


def test_a_wrong_value_says_what_was_expected():
    run("--policy", "newst", words=["policy", "newest", "newst"])
    run("--queue", "many", words=["queue", "many"])


def model_file(tmp_path, content, name="model.onnx"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content,words", [
    (b"", ["empty"]),
    (b"hello, this is no model\n", ["text file"]),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", ["Git LFS"]),
    (b"\xff\xd8\xff\xe0" + bytes(100), ["JPEG"]),
    (bytes(range(256)) * 12, ["can't load"]),
], ids=["empty", "text", "git_lfs", "jpeg", "garbage"])
def test_a_file_that_is_no_model(tmp_path, content, words):
    path = model_file(tmp_path, content)
    run(*CAMERA, "--model", path, words=[str(path), *words])


def test_a_model_that_is_not_there(tmp_path):
    run(*CAMERA, "--model", tmp_path / "nothing.onnx", words=["nothing.onnx", "No such file"])
    run(*CAMERA, "--model", tmp_path, words=["directory"])
    run(*CAMERA, "--model", model_file(tmp_path, bytes(100), "model.pt"), words=["model.pt", ".onnx"])


def test_a_model_with_other_shapes():
    run(*CAMERA, "--model", weirlib.shared("models", "person_reid_0248.onnx"), words=["person_reid_0248.onnx", "[1, 256]"])


def test_a_wrong_count_of_labels(tmp_path):
    labels = tmp_path / "labels.txt"
    labels.write_text("person\ncar\n")
    run(*CAMERA, "--model", weirlib.shared("models", "yolox_nano_416.onnx"), "--layout", "yolox", "--labels", labels,
        words=["80 classes", "2 names"])


def test_a_runtime_library_that_is_missing(tmp_path):
    model = weirlib.shared("models", "yolox_nano_416.onnx")
    missing = tmp_path / "libonnxruntime.so"
    run(*CAMERA, "--model", model, "--runtime", "onnxruntime", "--runtime-library", missing, words=[str(missing)])
    run(*CAMERA, "--model", model, words=["ONNX Runtime", "OpenVINO"],
        env={"WEIR_ONNXRUNTIME": str(missing), "WEIR_OPENVINO": str(missing)})


def test_an_unknown_runtime():
    run(*CAMERA, "--model", weirlib.shared("models", "yolox_nano_416.onnx"), "--runtime", "tensorrt", words=["tensorrt", "openvino"])


def test_a_port_that_is_busy():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        refused("run", *CAMERA, "--runtime", "null", "--web", f"127.0.0.1:{port}", words=[str(port)])


def test_an_output_that_can_not_be_written(tmp_path):
    run(*CAMERA, "--runtime", "null", "--jsonl", tmp_path / "no" / "such" / "out.jsonl", words=["out.jsonl"])


def test_a_full_disk():
    with weirlib.start("sim", "--port", 0, "--cameras", 1, "--fps", 20, "--pattern") as sim:
        port = sim.wait_for_text(r"127\.0\.0\.1:(\d+)").group(1)
        run("--camera", f"front=http://127.0.0.1:{port}/cam0", "--runtime", "null", "--jsonl", "/dev/full",
            words=["/dev/full", "No space left"])


def test_a_summary_that_can_not_be_written():
    with weirlib.start("sim", "--port", 0, "--cameras", 1, "--fps", 20, "--pattern") as sim:
        port = sim.wait_for_text(r"127\.0\.0\.1:(\d+)").group(1)
        command = (f"'{weirlib.binary()}' run --camera front=http://127.0.0.1:{port}/cam0 --runtime null --web off "
                   "--seconds 1 > /dev/full")
        result = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, timeout=weirlib.TIMEOUT_S)
    last = result.stderr.decode().strip().splitlines()[-1]
    assert result.returncode == 1 and "summary" in last and "No space left" in last, last


def test_a_wrong_key_in_the_file_has_line_column_path_and_the_nearest_name(tmp_path):
    config = tmp_path / "weir.yaml"
    config.write_text("queue: 8\ncameras:\n  - name: front\n    url: http://127.0.0.1:9/video\n    polcy: newest\n")
    last = run("-c", config, words=["weir.yaml", "cameras[0].polcy", "policy"])
    assert ":5:" in last
    config.write_text(config.read_text() + "queu: 9\n")
    code, _, stderr = weirlib.run("check-config", "-c", config)
    assert code == 1 and "cameras[0].polcy" in stderr and ":6:1: queu" in stderr and "2 problems" in stderr


def test_defaults_that_are_printed_are_accepted(tmp_path):
    code, stdout, _ = weirlib.run("check-config", "--print")
    assert code == 0
    config = tmp_path / "weir.yaml"
    config.write_text(stdout + "cameras:\n  - name: front\n    url: http://127.0.0.1:9/video\n")
    code, stdout, stderr = weirlib.run("check-config", "-c", config)
    assert code == 0, stderr


@pytest.mark.parametrize("command", ["run", "detect", "serve", "sim", "check-config", "version"])
def test_help_has_an_example(command):
    code, stdout, _ = weirlib.run(command, "--help")
    assert code == 0 and f"weir {command}" in stdout and "xample" in stdout
