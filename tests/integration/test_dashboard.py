# SPDX-License-Identifier: Apache-2.0
"""The dashboard of a real `weir run`: its interfaces with a plain client, its page in a real browser.

Cameras and detector are small servers of the test, so that what must be seen is known.
"""

import json
import os
import re
import shutil
import socket
import time

import pytest
import weirlib

PERSON = {"label": "person", "class": 0, "score": 0.9, "box": [160, 120, 320, 360]}
HOSTILE = ["Küche/Eingang #1", "車庫", "a.b", "+", "x\"y\\z", "<img src=x onerror=window.pwned=1>", "🎥 \u202eabc", "é", "e\u0301"]


class Scene:
    """Cameras, a detector, `weir run` between them, and its dashboard."""

    def __init__(self, names, folder, fps=10, camera_count=None):
        self.detector = weirlib.Detector([PERSON])
        self.cameras = [weirlib.Camera(fps=fps) for _ in names[:camera_count]]
        urls = [self.cameras[i % len(self.cameras)].url for i in range(len(names))]
        config = folder / "weir.yaml"
        # JSON strings are YAML strings: any name can be written.
        rows = [f"  - name: {json.dumps(name, ensure_ascii=False)}\n    url: {url}\n" for name, url in zip(names, urls)]
        config.write_text("cameras:\n" + "".join(rows), encoding="utf-8")
        self.url = f"http://127.0.0.1:{weirlib.free_port()}/"
        self.context = weirlib.start("run", "-c", config, "--detector", self.detector.url, "--web", self.url[7:-1])
        self.process = self.context.__enter__()
        weirlib.wait_until(self.is_up, "the dashboard to answer")

    def is_up(self):
        assert self.process.process.poll() is None, self.process.stderr
        try:
            return weirlib.ask(self.url + "healthz").status == 200
        except OSError:
            return False

    def status(self):
        return weirlib.ask(self.url + "api/v1/status").json

    def wait_for_pictures(self):
        weirlib.wait_until(lambda: all(camera["books"]["published"] > 0 for camera in self.status()["cameras"]),
                           "a result from each camera")

    def close(self):
        self.context.__exit__(None, None, None)
        for camera in self.cameras:
            camera.close()
        self.detector.close()


@pytest.fixture
def make_scene(tmp_path):
    scenes = []

    def make(names, **options):
        scenes.append(Scene(names, tmp_path, **options))
        return scenes[-1]

    yield make
    for scene in scenes:
        scene.close()


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two cameras that tests only look at."""
    scene = Scene(["front", "back"], tmp_path_factory.mktemp("two"))
    scene.wait_for_pictures()
    yield scene
    scene.close()


# ---- interfaces ----

def assert_books_balance(books):
    assert books["read"] == (books["waiting"] + books["running"] + books["inferred"] + books["dropped"] + books["failed"])
    assert books["inferred"] == books["publishing"] + books["published"] + books["unpublished"]
    assert books["dropped"] == sum(books["droppedBy"].values())
    assert books["failed"] == sum(books["failedBy"].values())


def test_the_status_balances_at_every_moment(two):
    for _ in range(20):
        status = two.status()
        assert status["state"] == "running"
        for books in [status["books"]] + [camera["books"] for camera in status["cameras"]]:
            assert_books_balance(books)
        for key in ("read", "published", "dropped"):
            assert status["books"][key] == sum(camera["books"][key] for camera in status["cameras"])
        time.sleep(0.02)
    assert [camera["state"] for camera in status["cameras"]] == ["live", "live"]
    assert status["cameras"][0]["width"] == 640


def test_the_newest_picture_and_what_was_seen_in_it(two):
    camera = two.status()["cameras"][0]["id"]
    picture = weirlib.ask(f"{two.url}api/v1/cameras/{camera}/snapshot.jpg")
    assert picture.headers["Content-Type"] == "image/jpeg"
    assert picture.body in [weirlib.jpeg(640, 480, grey) for grey in weirlib.Camera.GREYS]
    assert int(picture.headers["Weir-Sequence"]) > 0
    seen = weirlib.ask(f"{two.url}api/v1/cameras/{camera}/detections").json
    assert (seen["status"], seen["id"], seen["camera"]) == ("ok", camera, "front")
    assert seen["detections"] == [PERSON]


def test_picture_and_detections_in_one_answer(two):
    camera = two.status()["cameras"][0]["id"]
    answer = weirlib.ask(f"{two.url}api/v1/cameras/{camera}/frame")
    size = int.from_bytes(answer.body[:4], "big")
    result = json.loads(answer.body[4:4 + size])
    assert result["detections"] == [PERSON]
    # The camera's n-th frame has the n-th grey: picture and result are of the same frame.
    greys = list(weirlib.Camera.GREYS)
    assert answer.body[4 + size:] == weirlib.jpeg(640, 480, greys[(result["sequence"] - 1) % len(greys)])


def test_a_frame_that_is_known_already_is_not_sent_again(make_scene):
    scene = make_scene(["front"])
    scene.wait_for_pictures()
    scene.cameras[0].close()
    weirlib.wait_until(lambda: scene.status()["cameras"][0]["state"] != "live", "the camera to be lost")
    camera = scene.status()["cameras"][0]["id"]
    path = f"{scene.url}api/v1/cameras/{camera}/"
    sequence = weirlib.ask(path + "snapshot.jpg").headers["Weir-Sequence"]
    assert weirlib.ask(path + "frame?after=" + sequence).status == 204
    assert weirlib.ask(path + "frame?after=0").status == 200


@pytest.mark.parametrize("path, status, code", [
    ("nothing", 404, "not_found"),
    ("api/v1/cameras/nobody/snapshot.jpg", 404, "no_such_camera"),
    ("api/v1/cameras/nobody/detections", 404, "no_such_camera"),
    ("api/v1/cameras/nobody/frame", 404, "no_such_camera"),
    ("api/v1/cameras/..%2f..%2fetc/snapshot.jpg", 404, "not_found"),
])
def test_what_is_not_there_is_said_as_json(two, path, status, code):
    answer = weirlib.ask(two.url + path)
    assert answer.status == status
    assert answer.json["error"]["code"] == code


def test_only_reading_is_possible(two):
    for path in ("", "api/v1/status", "metrics"):
        answer = weirlib.ask(two.url + path, b"x", method="POST")
        assert (answer.status, answer.json["error"]["code"]) == (405, "method_not_allowed")
        assert answer.headers["Allow"] == "GET, HEAD"
        head = weirlib.ask(two.url + path, method="HEAD")
        assert (head.status, head.body) == (200, b"")
        assert int(head.headers["Content-Length"]) > 0


def test_a_page_elsewhere_can_not_read_the_cameras(two):
    answer = weirlib.ask(two.url + "api/v1/status", headers={"Host": "cameras.attacker.example"})
    assert (answer.status, answer.json["error"]["code"]) == (421, "host_not_allowed")
    headers = weirlib.ask(two.url).headers
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


SAMPLE = re.compile(r'^([a-z_]+)(\{([a-z]+="([^"\\\n]|\\["\\n])*",?)*\})? (\S+)$')


def test_metrics_follow_the_exposition_format_and_count(two):
    text = weirlib.ask(two.url + "metrics").text
    assert text.endswith("\n")
    types, values = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types, "each metric is declared once"
            types[name] = kind
        elif not line.startswith("#"):
            match = SAMPLE.match(line)
            assert match, line
            float(match.group(5))
            assert re.sub("_(sum|count)$", "", match.group(1)) in types or match.group(1) in types, line
            values[line.rsplit(" ", 1)[0]] = float(match.group(5))
    camera = two.status()["cameras"][0]["id"]
    assert values[f'weir_frames_published_total{{camera="{camera}"}}'] > 0
    assert values[f'weir_camera_up{{camera="{camera}"}}'] == 1
    assert values["weir_frame_age_seconds_count"] > 0


def test_hostile_names_are_only_text(make_scene):
    scene = make_scene(HOSTILE, camera_count=1)
    scene.wait_for_pictures()
    cameras = scene.status()["cameras"]
    assert [camera["name"] for camera in cameras] == HOSTILE
    ids = [camera["id"] for camera in cameras]
    assert len(set(ids)) == len(ids)
    for camera in ids:
        assert re.fullmatch("[a-z0-9_-]+", camera)
        assert weirlib.ask(f"{scene.url}api/v1/cameras/{camera}/snapshot.jpg").status == 200
    for line in weirlib.ask(scene.url + "metrics").text.splitlines():
        assert line.startswith("#") or SAMPLE.match(line), line


def thread_count(process):
    return len(os.listdir(f"/proc/{process.pid}/task"))


def test_slow_viewers_hold_up_nobody(make_scene):
    """100 that never read, 100 that never finish a request, 100 that say nothing, 100 that vanish: more than there are places."""
    scene = make_scene(["front", "back"])
    scene.wait_for_pictures()
    threads = thread_count(scene.process)
    camera = scene.status()["cameras"][0]["id"]
    address = (scene.url[7:-1].split(":")[0], int(scene.url[7:-1].split(":")[1]))
    requests = [f"GET /api/v1/cameras/{camera}/snapshot.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50, "GET /api", "", "GET / HT"]
    slow = []
    before = scene.status()["books"]["published"]
    start = time.monotonic()
    for i in range(400):
        connection = socket.create_connection(address, timeout=weirlib.TIMEOUT_S)
        if requests[i % 4]:
            connection.sendall(requests[i % 4].encode())
        slow.append(connection)
        if i % 4 == 3:
            connection.close()
    # A newcomer is refused only while nobody has stood still for a second.
    weirlib.wait_until(lambda: weirlib.ask(scene.url + "api/v1/status").status == 200, "a place")
    time.sleep(2)
    published = scene.status()["books"]["published"] - before
    assert published > 0.5 * 20 * (time.monotonic() - start), "the pipeline keeps its rate"
    assert thread_count(scene.process) == threads
    for connection in slow:
        connection.close()
    weirlib.wait_until(lambda: "\nweir_http_connections 1\n" in weirlib.ask(scene.url + "metrics").text, "all viewers to be gone")


# ---- the page ----

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if BROWSER is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as p:
        instance = p.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield instance
        instance.close()


@pytest.fixture
def open_page(browser):
    contexts = []

    def open_one(url, width=1280, height=900):
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * weirlib.TIMEOUT_S)
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda line: line.type == "error" and page.problems.append(line.text))
        page.goto(url)
        return page

    yield open_one
    for context in contexts:
        context.close()


# A pixel of a tile's canvas, at a point given in pixels of the 640 x 480 picture.
PIXEL = """([tile, x, y]) => {
  const canvas = document.querySelectorAll("[data-camera]")[tile].querySelector("canvas");
  const at = (v) => Math.round(v * canvas.width / 640);
  return [...canvas.getContext("2d").getImageData(at(x), at(y), 1, 1).data].slice(0, 3);
}"""


def is_coloured(pixel):
    return max(pixel) - min(pixel) > 60


def wait_for_picture(page, tile):
    weirlib.wait_until(lambda: is_coloured(page.evaluate(PIXEL, [tile, 160, 240])), f"a picture with a box in tile {tile}")


def test_the_page_shows_cameras_numbers_and_boxes(two, open_page):
    page = open_page(two.url)
    page.wait_for_selector("[data-camera]")
    assert page.locator("[data-camera] h2").all_inner_texts() == ["front", "back"]
    assert page.locator(".badge").all_inner_texts() == ["live", "live"]
    for tile in (0, 1):
        wait_for_picture(page, tile)
        # All four edges of the box are drawn, in one colour; its middle and what is around it is the grey picture.
        edges = [page.evaluate(PIXEL, [tile, *point]) for point in ((160, 240), (320, 240), (240, 360), (300, 120))]
        assert all(is_coloured(pixel) for pixel in edges), edges
        for point in ((240, 240), (400, 240), (240, 400)):
            assert not is_coloured(page.evaluate(PIXEL, [tile, *point]))
    label = page.locator("canvas").first.get_attribute("aria-label")
    assert label == "front: 1 person"
    total = page.locator("#inferred-total")
    first = total.inner_text()
    weirlib.wait_until(lambda: total.inner_text() != first, "the numbers to move")
    assert page.problems == []


def test_a_dead_camera_is_shown_with_its_reason_and_comes_back(make_scene, open_page):
    scene = make_scene(["front", "back"])
    page = open_page(scene.url)
    page.wait_for_selector("[data-camera]")
    wait_for_picture(page, 0)
    port = scene.cameras[0].port
    scene.cameras[0].close()
    tile = page.locator("[data-camera]").first
    weirlib.wait_until(lambda: re.search("refused|ended", tile.locator(".why").inner_text()), "the reason in the tile")
    assert tile.locator(".badge").inner_text() != "live"
    assert page.locator("[data-camera] .badge").nth(1).inner_text() == "live"
    scene.cameras[0] = weirlib.Camera(port=port)
    weirlib.wait_until(lambda: tile.locator(".badge").inner_text() == "live", "the camera to come back")
    weirlib.wait_until(lambda: not tile.locator(".why").is_visible(), "the reason to go away")


def test_hostile_names_are_shown_unchanged(make_scene, open_page):
    scene = make_scene(HOSTILE, camera_count=1)
    page = open_page(scene.url)
    page.wait_for_selector("[data-camera]")
    assert page.locator("[data-camera] h2 bdi").all_text_contents() == HOSTILE
    wait_for_picture(page, 0)
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img").count() == 0
    assert page.problems == []


def greys(page, count):
    return [page.evaluate(PIXEL, [tile, 500, 400])[0] for tile in range(count)]


def test_nine_cameras_all_move_in_two_tabs_and_the_api_still_answers(make_scene, open_page):
    names = [f"camera {i}" for i in range(9)]
    scene = make_scene(names, fps=5)
    pages = [open_page(scene.url, 1600, 1300) for _ in range(2)]
    for page in pages:
        page.wait_for_selector("[data-camera]")
        for tile in range(9):
            wait_for_picture(page, tile)
    for page in pages:
        before = greys(page, 9)
        weirlib.wait_until(lambda: all(a != b for a, b in zip(before, greys(page, 9))), "all nine to move")
        took = page.evaluate("""async () => {
          const start = performance.now();
          const answer = await fetch("api/v1/status");
          await answer.json();
          return performance.now() - start;
        }""")
        assert took < 1000 * float(os.environ.get("WEIR_TEST_SLOWNESS", "1"))


def test_tiles_out_of_sight_use_no_bandwidth(make_scene, open_page):
    scene = make_scene([f"camera {i}" for i in range(9)], camera_count=1)
    page = open_page(scene.url, 420, 700)
    page.wait_for_selector("[data-camera]")
    ids = page.eval_on_selector_all("[data-camera]", "tiles => tiles.map(tile => tile.dataset.camera)")
    asked = []
    page.on("request", lambda request: asked.append(request.url))

    def wait_for_requests(camera):
        asked.clear()
        weirlib.wait_until(lambda: (page.wait_for_timeout(50), any(f"/{camera}/frame" in url for url in asked))[1],
                           f"requests for {camera}")

    page.locator("[data-camera]").last.scroll_into_view_if_needed()
    wait_for_requests(ids[-1])
    asked.clear()
    page.wait_for_timeout(1000)
    assert any(f"/{ids[-1]}/frame" in url for url in asked)
    assert not any(f"/{ids[0]}/frame" in url for url in asked)
    page.locator("[data-camera]").first.scroll_into_view_if_needed()
    wait_for_requests(ids[0])


def test_the_page_says_when_weir_does_not_answer(make_scene, open_page):
    scene = make_scene(["front"])
    page = open_page(scene.url)
    page.wait_for_selector("[data-camera]")
    assert scene.process.stop() == 0
    page.wait_for_selector("#lost:not([hidden])")
    assert page.locator("#state").inner_text() == "no answer"
