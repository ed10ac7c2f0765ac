# SPDX-License-Identifier: Apache-2.0
"""weir detect against an independent computation: the same model through OpenVINO's Python API, pictures by Pillow, the resize
and the head by numpy from the model's published description."""

import json
import pathlib

import pytest
import weirlib

SIZE, THRESHOLD, LIMIT = 300, 0.35, 0.5


def default_model():
    path = weirlib.ROOT / ".weir" / "models" / "ssd_mobilenetv2_oidv4_fp16.tflite"
    if not path.exists():
        pytest.skip(f"{path} is not there: run tools/fetch.sh")
    return path


def detect(*arguments):
    code, stdout, stderr = weirlib.run("detect", "--json", *arguments)
    assert code == 0, stderr
    return [json.loads(line) for line in stdout.splitlines()]


def iou(a, b):
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    common = max(w, 0) * max(h, 0)
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common)


def resize(picture, size):
    """Bilinear at half-pixel centres, no anti-aliasing."""
    import numpy as np

    def axis(length):
        at = np.clip((np.arange(size) + 0.5) * length / size - 0.5, 0, length - 1)
        low = np.floor(at).astype(int)
        return low, np.minimum(low + 1, length - 1), (at - low).astype(np.float32)
    (top, bottom, fy), (left, right, fx) = axis(picture.shape[0]), axis(picture.shape[1])
    picture = picture.astype(np.float32)
    rows = picture[top] * (1 - fy)[:, None, None] + picture[bottom] * fy[:, None, None]
    return rows[:, left] * (1 - fx)[None, :, None] + rows[:, right] * fx[None, :, None]


def anchors():
    import numpy as np
    scales = [0.2 + 0.75 * i / 5 for i in range(6)] + [1.0]
    rows = []
    for layer in range(6):
        cells = -(-SIZE // (16 << layer))
        shapes = ([(0.1, 1), (0.2, 2), (0.2, 0.5)] if layer == 0 else
                  [(scales[layer], r) for r in (1, 2, 1 / 2, 3, 1 / 3)] + [((scales[layer] * scales[layer + 1]) ** 0.5, 1)])
        for y in range(cells):
            for x in range(cells):
                rows += [((y + 0.5) / cells, (x + 0.5) / cells, s / r ** 0.5, s * r ** 0.5) for s, r in shapes]
    return np.array(rows, np.float32)


@pytest.fixture(scope="module")
def reference():
    np = pytest.importorskip("numpy")
    openvino = pytest.importorskip("openvino")
    image = pytest.importorskip("PIL.Image")
    compiled = openvino.Core().compile_model(str(default_model()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    table = anchors()

    def compute(path):
        picture = np.asarray(image.open(path).convert("RGB"))
        height, width = picture.shape[:2]
        outputs = compiled(resize(picture, SIZE)[None] / 127.5 - 1)
        codes, logits = (outputs[i][0] for i in range(2))
        scores = 1 / (1 + np.exp(-logits[:, 1:]))
        cy, cx = codes[:, 0] / 10 * table[:, 2] + table[:, 0], codes[:, 1] / 10 * table[:, 3] + table[:, 1]
        h, w = np.exp(codes[:, 2] / 5) * table[:, 2], np.exp(codes[:, 3] / 5) * table[:, 3]
        boxes = np.stack([(cx - w / 2) * width, (cy - h / 2) * height, (cx + w / 2) * width, (cy + h / 2) * height], 1)
        kept = []
        for row in np.argsort(-scores.max(1)):
            score, index = scores[row].max(), int(scores[row].argmax()) + 1
            if score >= THRESHOLD and all(index != k[1] or iou(boxes[row], k[2]) <= LIMIT for k in kept):
                kept.append((float(score), index, boxes[row]))
        return kept
    return compute


def street(tmp_path, count):
    """Frames of the default clip as JPEG files, as the simulator sends them."""
    import urllib.request
    clip = weirlib.ROOT / ".weir" / "media" / "vtest.avi"
    if not clip.exists():
        pytest.skip(f"{clip} is not there: run tools/fetch.sh")
    paths = []
    with weirlib.start("sim", "--port", 0, "--cameras", 1, "--fps", 10, "--clip", clip) as sim:
        port = sim.wait_for_text(r"127\.0\.0\.1:(\d+)").group(1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/cam0") as stream:
            data = b""
            while len(paths) < count:
                data += stream.read1(65536)
                start, end = data.find(b"\xff\xd8"), data.find(b"\xff\xd9")
                if 0 <= start < end:
                    paths.append(tmp_path / f"street{len(paths)}.jpg")
                    paths[-1].write_bytes(data[start:end + 2])
                    data = data[end + 2:]
    return paths


def test_five_frames_of_the_street_agree_with_an_independent_computation(tmp_path, reference):
    paths = street(tmp_path, 5)
    answers = detect(*paths)
    assert [pathlib.Path(answer["image"]) for answer in answers] == paths
    people = 0
    for path, answer in zip(paths, answers):
        assert answer["status"] == "ok" and (answer["width"], answer["height"]) == (768, 576)
        expected = reference(path)
        for score, index, box in expected:
            if score < THRESHOLD + 0.05:
                continue
            people += index == 4
            assert any(d["class"] == index and abs(d["score"] - score) <= 0.05 and iou(d["box"], box) >= 0.85
                       for d in answer["detections"]), (path, score, index, box)
        sure = [d for d in answer["detections"] if d["score"] >= THRESHOLD + 0.05]
        assert len(sure) <= len(expected)
    assert people >= 5, "the street is not empty"


def test_the_default_model_knows_a_person_and_a_cat():
    person, cat = detect(weirlib.shared("media", "astronaut.png"), weirlib.shared("media", "chelsea.png"))
    assert "Person" in [d["label"] for d in person["detections"]]
    assert "Cat" in [d["label"] for d in cat["detections"]]


def test_what_can_not_be_read_is_failed_and_the_rest_is_looked_at(tmp_path):
    good, bad = tmp_path / "good.jpg", tmp_path / "bad.jpg"
    good.write_bytes(weirlib.jpeg())
    bad.write_bytes(weirlib.jpeg()[:60])
    model = weirlib.shared("models", "yolox_nano_416.onnx")
    code, stdout, _ = weirlib.run("detect", "--json", "--model", model, bad, tmp_path / "none.jpg", good)
    assert code == 1
    broken, missing, fine = (json.loads(line) for line in stdout.splitlines())
    assert broken["status"] == missing["status"] == "failed" and "detections" not in broken
    assert broken["reason"].startswith("jpeg_") and "No such file" in missing["message"]
    assert fine["status"] == "ok" and fine["detections"] == []
