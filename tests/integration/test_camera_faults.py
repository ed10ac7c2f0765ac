# SPDX-License-Identifier: Apache-2.0
"""One camera misbehaves in every way that the simulator knows, one after the other; the other must not notice, the
state and the reason must be right, the books must balance, and the camera must come back by itself."""

import contextlib

import pytest

import weirlib
from test_run import balanced

RUN = ("--stall-timeout-s", 1, "--first-frame-timeout-s", 2, "--connect-timeout-s", 2,
       "--back-off-min-s", 0.1, "--back-off-max-s", 0.5, "--log-level", "error")

# Reasons that a camera may show while it has the fault; it may be on its way to or from a new attempt.
AWAY = {
    "stall": {"stalled"},
    "cut": {"ended"},
    "reset": {"ended", "unreachable"},
    "html": {"not_multipart"},
    "404": {"not_found"},
    "500": {"http_status"},
    "503": {"http_status"},
}
# Frames of these are read and fail, by one of these reasons; the camera stays live.
FAILING = {"truncate": {"jpeg_truncated"}, "corrupt": {"jpeg_invalid", "jpeg_truncated"}, "garbage": {"jpeg_invalid"}}
# These are no reason to lose anything.
HARMLESS = ["no-length", "wrong-length", "size", "fps", "slow", "freeze", "dribble", "wrong-boundary"]


class Scene:
    """Two simulated cameras and a run that looks at them; camera 0 is the one with the faults."""

    def __init__(self, sim, run):
        self.sim = sim.wait_for_text(r"(http://127\.0\.0\.1:\d+)/cam0")[1]
        self.run = run
        self.web = run.wait_for_text(r"(http://127\.0\.0\.1:\d+)")[1]

    def fault(self, kind, camera=0):
        answer = weirlib.ask(f"{self.sim}/fault?camera={camera}&kind={kind}", method="POST")
        assert answer.status == 200, answer.text

    def cameras(self):
        status = weirlib.ask(f"{self.web}/api/v1/status").json
        balanced(status["books"])
        for camera in status["cameras"]:
            balanced(camera["books"])
        return status["cameras"]

    def wait(self, condition, what):
        """Until the condition is true of the faulty camera."""
        return weirlib.wait_until(lambda: condition(self.cameras()[0]), what)

    def healthy(self):
        """What camera 1 has lost, and how often it was connected anew."""
        camera = self.cameras()[1]
        return camera["books"]["failed"], camera["reconnects"]

    def recovered(self):
        self.fault("none")
        before = self.cameras()[0]["books"]["inferred"]
        self.wait(lambda camera: camera["state"] == "live" and camera["books"]["inferred"] > before + 3,
                  "the camera to be live again")


@contextlib.contextmanager
def play(*arguments):
    with weirlib.start("sim", "--port", 0, "--cameras", 2, "--fps", 20, "--size", "320x240") as sim:
        port = sim.wait_for_text(r"127\.0\.0\.1:(\d+)")[1]
        cameras = [part for i in (0, 1) for part in ("--camera", f"cam{i}=http://127.0.0.1:{port}/cam{i}")]
        with weirlib.start("run", *cameras, *RUN, *arguments, "--web", "127.0.0.1:0") as run:
            try:
                scene = Scene(sim, run)
            except AssertionError:
                if "not installed" in run.stderr:
                    pytest.skip(run.stderr)
                raise
            scene.recovered()
            yield scene
            assert run.stop() == 0


@pytest.fixture(scope="module")
def scene():
    """With the null runtime, which looks at no picture."""
    with play("--runtime", "null") as scene:
        yield scene


@pytest.fixture(scope="module")
def seeing():
    """With a model, so that pictures are decoded."""
    with play("--model", weirlib.shared("models", "yolox_nano_416.onnx")) as scene:
        yield scene


@pytest.mark.parametrize("kind", AWAY)
def test_a_camera_that_is_gone_is_known_by_its_reason_and_comes_back(scene, kind):
    lost = scene.healthy()
    scene.fault(kind)
    scene.wait(lambda camera: camera["state"] != "live" and camera["reason"] in AWAY[kind], f"one of {AWAY[kind]}")
    scene.recovered()
    assert scene.healthy() == lost


@pytest.mark.parametrize("kind", FAILING)
def test_bad_pictures_fail_by_reason_and_nothing_else_happens(seeing, kind):
    lost = seeing.healthy()
    before = seeing.cameras()[0]
    seeing.fault(kind)
    seeing.wait(lambda camera: camera["books"]["failed"] >= before["books"]["failed"] + 5, "failed frames")
    after = seeing.cameras()[0]
    grown = {reason for reason, count in after["books"]["failedBy"].items()
             if count > before["books"]["failedBy"].get(reason, 0)}
    assert grown <= FAILING[kind]
    assert after["state"] == "live" and after["reconnects"] == before["reconnects"]
    seeing.recovered()
    assert seeing.healthy() == lost


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_is_odd_but_readable_is_read(scene, kind):
    lost = scene.healthy()
    before = scene.cameras()[0]
    scene.fault(kind)
    scene.wait(lambda camera: camera["books"]["inferred"] >= before["books"]["inferred"] + 4, "frames")
    after = scene.cameras()[0]
    assert after["state"] == "live" and after["reconnects"] == before["reconnects"]
    assert after["books"]["failed"] == before["books"]["failed"]
    scene.recovered()
    assert scene.healthy() == lost


def test_nobody_listens_for_a_while(scene):
    answer = weirlib.ask(f"{scene.sim}/fault?camera=all&kind=refuse&seconds=2", method="POST")
    assert answer.status == 200
    for camera in (0, 1):
        weirlib.wait_until(lambda: scene.cameras()[camera]["reason"] == "refused", "both to be refused")
    for camera in (0, 1):
        weirlib.wait_until(lambda: scene.cameras()[camera]["state"] == "live", "both to come back")


def test_a_wrong_password_is_not_tried_again_and_again(scene):
    lost = scene.healthy()
    scene.fault("401")
    scene.wait(lambda camera: camera["reason"] == "auth", "the rejection")
    tried = scene.cameras()[0]["reconnects"]
    other = scene.cameras()[1]["books"]["inferred"]
    weirlib.wait_until(lambda: scene.cameras()[1]["books"]["inferred"] > other + 40, "the other to go on for 2 s")
    assert scene.cameras()[0]["reconnects"] == tried
    assert scene.healthy() == lost
