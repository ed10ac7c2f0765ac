# SPDX-License-Identifier: Apache-2.0
"""Models of every kind through the real binary: what is found, what is said, what is refused. Boxes by hand."""

import json

import pytest
import tiny_models
import weirlib

RUNTIMES = ["onnxruntime", "openvino"]
NAMES = "{0: 'cat', 1: \"driver's seat\", 2: 'kite'}"


@pytest.fixture
def picture(tmp_path):
    """128 x 64: in a network of 64 x 64 it is letterboxed by a half, 16 pixels above and below."""
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "picture.png"
    image.new("RGB", (128, 64), (90, 120, 200)).save(path)
    return path


def detect(picture, model, runtime, *options):
    code, stdout, stderr = weirlib.run("detect", "--json", "--runtime", runtime, "--model", model, *options, picture)
    if "not installed" in stderr:
        pytest.skip(stderr)
    assert stdout, stderr
    answer = json.loads(stdout)
    assert (code == 0) == (answer["status"] == "ok")
    return answer


def refused(picture, model, *options):
    code, stdout, stderr = weirlib.run("detect", "--json", "--model", model, *options, picture)
    assert code == 1 and stdout == "" and stderr.count("\n") == 1, (stdout, stderr)
    return stderr


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_names_from_metadata_and_the_letterbox_undone(tmp_path, picture, runtime):
    output = tiny_models.yolov8(7, boxes=[(5, 32, 32, 16, 16, 1, 0.75), (6, 33, 32, 16, 16, 1, 0.5)])
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": output}, metadata={"names": NAMES, "task": "detect"})
    answer = detect(picture, model, runtime)
    assert answer["detections"] == [{"label": "driver's seat", "class": 1, "score": 0.75, "box": [48, 16, 80, 48]}]


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_half_precision_in_and_out(tmp_path, picture, runtime):
    output = tiny_models.yolov8(7, boxes=[(5, 32, 32, 16, 16, 2, 0.75)])
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": output}, metadata={"names": NAMES}, float16=True)
    answer = detect(picture, model, runtime)
    assert [(d["label"], d["box"]) for d in answer["detections"]] == [("kite", [48, 16, 80, 48])]


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_open_sizes_come_from_metadata(tmp_path, picture, runtime):
    output = tiny_models.yolov8(7, boxes=[(5, 32, 32, 16, 16, 0, 0.75)])
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": output}, input_shape=["b", 3, "h", "w"],
                             metadata={"names": NAMES, "imgsz": "[64, 64]"})
    assert [d["label"] for d in detect(picture, model, runtime)["detections"]] == ["cat"]


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_fixed_batch_gives_its_first_picture(tmp_path, picture, runtime):
    import numpy as np
    output = np.zeros((4, 300, 6), np.float32)
    output[0, 0], output[1, 0] = (24, 24, 40, 40, 0.75, 0), (0, 0, 8, 8, 0.75, 2)
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": output}, input_shape=[4, 3, 64, 64], metadata={"names": NAMES})
    assert detect(picture, model, runtime)["detections"] == [
        {"label": "cat", "class": 0, "score": 0.75, "box": [48, 16, 80, 48]}]


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_second_input_and_integer_labels(tmp_path, picture, runtime):
    import numpy as np
    boxes, scores, labels = np.zeros((1, 9, 4)), np.zeros((1, 9)), np.zeros((1, 9))
    boxes[0, 2], scores[0, 2], labels[0, 2] = (16, 32, 48, 64), 0.875, 15
    model = tiny_models.save(tmp_path / "m.onnx", {"labels": labels, "boxes": boxes, "scores": scores},
                             extra_inputs=[("orig_target_sizes", [1, 2])], labels_int64=["labels"])
    # Stretched: x by 2, y as it is.
    assert detect(picture, model, runtime)["detections"] == [
        {"label": "cat", "class": 15, "score": 0.875, "box": [32, 32, 96, 64]}]


@pytest.mark.parametrize("lie", [float("nan"), float("inf"), 658.0])
def test_numbers_that_lie_are_failed_not_printed(tmp_path, picture, lie):
    output = tiny_models.yolov8(7, boxes=[(5, 32, 32, 16, 16, 1, lie)])
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": output}, metadata={"names": NAMES})
    answer = detect(picture, model, "auto")
    assert answer["status"] == "failed" and answer["reason"] == "model_output_suspect"
    assert not answer.get("detections")


def test_a_keypoint_that_is_no_number_is_failed(tmp_path, picture):
    output = tiny_models.yolov8(4 + 1 + 51, boxes=[(5, 32, 32, 16, 16, 0, 0.75)])
    output[0, 5, 5] = float("nan")
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": output}, metadata={"task": "pose", "names": "{0: 'person'}"})
    answer = detect(picture, model, "auto")
    assert answer["status"] == "failed" and answer["reason"] == "model_output_suspect"


def test_what_can_not_be_told_names_the_option_and_the_option_settles_it(tmp_path, picture):
    import numpy as np
    output = np.zeros((1, 84, 7), np.float32)
    output[0, 5] = 32, 32, 16, 16, 1, 0, 0.75  # YOLOv5: objectness 1, class 1; YOLOv8: class 0 at 1
    model = tiny_models.save(tmp_path / "m.onnx", {"out": output})
    message = refused(picture, model)
    assert "layout" in message and "yolox, yolov8" in message and "[1, 84, 7]" in message
    answers = {layout: detect(picture, model, "auto", "--layout", layout)["detections"] for layout in ("yolov5", "yolov8")}
    assert [(d["class"], d["score"]) for d in answers["yolov5"]] == [(1, 0.75)]
    assert [(d["class"], d["score"]) for d in answers["yolov8"]] == [(0, 1)]


def test_labels_of_another_number_say_both(tmp_path, picture):
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": tiny_models.yolov8(7)}, metadata={"names": NAMES})
    labels = tmp_path / "two.txt"
    labels.write_text("a\nb\n")
    message = refused(picture, model, "--labels", labels)
    assert "3 classes" in message and "2 names" in message


def test_an_unknown_second_input_is_named(tmp_path, picture):
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": tiny_models.yolov8(7)}, extra_inputs=[("prompt", [1, 8])])
    assert "prompt" in refused(picture, model)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_info_says_what_was_found_and_from_where(tmp_path, runtime):
    model = tiny_models.save(tmp_path / "m.onnx", {"output0": tiny_models.yolov8(7)},
                             metadata={"names": NAMES, "task": "detect"})
    code, stdout, stderr = weirlib.run("model", "info", "--runtime", runtime, "--recipe", "bgr", model)
    if "not installed" in stderr:
        pytest.skip(stderr)
    assert code == 0, stderr
    lines = {line.split(None, 1)[0]: line.split(None, 1)[1] for line in stdout.splitlines()}
    assert lines["layout"].startswith("yolov8;")
    assert lines["recipe"].startswith("letterbox bgr 0..1 pad=114; the option recipe")
    assert lines["labels"] == "3: cat, driver's seat, kite; from the model's metadata"
    assert lines["input"] == "images float32 [1, 3, 64, 64]"


def test_info_needs_one_file():
    for arguments in ([], ["info"], ["info", "a", "b"], ["inf", "a"]):
        code, stdout, stderr = weirlib.run("model", *arguments)
        assert code == 2 and stdout == "" and "weir model --help" in stderr
