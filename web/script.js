// SPDX-License-Identifier: Apache-2.0
"use strict";

// Pictures are polled, each by a request that ends: a browser opens six connections to a host and no more, so a
// live stream in each of seven tiles would stop the whole page. Two at a time are enough for all tiles and leave the
// rest to the numbers and to a second tab.
const PICTURES_AT_ONCE = 2;
const PICTURES_PER_SECOND = 24; // all tiles together
const PICTURE_MIN_MS = 120;     // between two of one tile
const STATUS_MS = 1000;
const REQUEST_TIMEOUT_MS = 5000;
const HISTORY = 60;             // points of a line

const tones = { live: "good", waiting: "warn", connecting: "warn", stalled: "bad", backing_off: "bad" };
const tiles = new Map(); // camera id -> tile
let previous = null;     // the status before

const element = (id) => document.getElementById(id);
const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };
const words = (text) => text.replaceAll("_", " ");
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

function count(n) {
  return n < 100000 ? n.toLocaleString("en").replaceAll(",", "\u202f") : (n / 1e6).toFixed(2) + " M";
}

function rate(n) {
  return n >= 100 ? n.toFixed(0) : n.toFixed(1);
}

function duration(s) {
  if (s < 60) return `${Math.max(0, Math.floor(s))} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

function reasons(by) {
  const rows = Object.entries(by).sort((a, b) => b[1] - a[1]);
  return rows.length === 0 ? "none" : rows.map(([reason, n]) => `${words(reason)} ${count(n)}`).join(", ");
}

// Far apart for neighbouring classes: the golden angle round the colour wheel.
function colour(detection) {
  return `hsl(${(detection.class * 137.5 + 160) % 360} 88% 66%)`;
}

function request(path) {
  return fetch(path, { cache: "no-store", signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
}

// ---- pictures ----

function drawBox(context, detection, scale, ratio) {
  const [x1, y1, x2, y2] = detection.box.map((v) => v * scale);
  const name = `${detection.label} ${Math.round(detection.score * 100)}`;
  const size = Math.round(11 * ratio);
  context.strokeStyle = context.fillStyle = colour(detection);
  context.lineWidth = 2 * ratio;
  context.strokeRect(x1, y1, x2 - x1, y2 - y1);
  context.font = `600 ${size}px system-ui, sans-serif`;
  const width = context.measureText(name).width + 6 * ratio;
  const height = size + 4 * ratio;
  const left = Math.max(0, Math.min(x1 - ratio, context.canvas.width - width));
  const top = y1 > height ? y1 - height : Math.min(y1, context.canvas.height - height);
  context.fillRect(left, top, width, height);
  context.fillStyle = "#06121a";
  context.textBaseline = "middle";
  context.fillText(name, left + 3 * ratio, top + height / 2 + ratio);
}

// The canvas has as many pixels as the screen gives it, so that lines and letters are sharp at every size.
function draw(tile, bitmap, result) {
  const canvas = tile.canvas;
  const ratio = window.devicePixelRatio || 1;
  const shown = Math.min(tile.view.clientWidth, (tile.view.clientHeight * bitmap.width) / bitmap.height);
  const scale = Math.max(0.1, (shown * ratio) / bitmap.width);
  const width = Math.round(bitmap.width * scale);
  const height = Math.round(bitmap.height * scale);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0, width, height);
  const detections = result.detections || [];
  // Boxes are in the pixels of the picture that was inferred; a turned or scaled one still fits by its width.
  const boxScale = result.width ? width / result.width : scale;
  for (const detection of [...detections].reverse()) drawBox(context, detection, boxScale, ratio);
  tile.view.style.setProperty("--ratio", `${bitmap.width} / ${bitmap.height}`);
  describe(tile, detections);
}

function describe(tile, detections) {
  const counts = new Map();
  for (const { label } of detections) counts.set(label, (counts.get(label) || 0) + 1);
  const seen = [...counts].map(([label, n]) => `${n} ${label}`).join(", ");
  tile.canvas.setAttribute("aria-label", `${tile.name}: ${seen || "nothing detected"}`);
}

// Four bytes with the length of a JSON text, the text, the JPEG: picture and boxes of the same frame.
async function fetchPicture(tile) {
  const answer = await request(`api/v1/cameras/${encodeURIComponent(tile.id)}/frame?after=${tile.sequence}`);
  if (answer.status !== 200) return;
  const bytes = await answer.arrayBuffer();
  const size = new DataView(bytes).getUint32(0);
  const result = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, size)));
  const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes, 4 + size)], { type: "image/jpeg" }));
  tile.sequence = result.sequence;
  tile.pictures++;
  draw(tile, bitmap, result);
  bitmap.close();
}

function nextTile() {
  const waiting = [...tiles.values()].filter((tile) => tile.visible && !tile.busy);
  return waiting.reduce((best, tile) => (best === null || tile.dueAt < best.dueAt ? tile : best), null);
}

async function showPictures() {
  for (;;) {
    const tile = document.hidden ? null : nextTile();
    const now = performance.now();
    if (tile === null || tile.dueAt > now) {
      await wait(tile === null ? 250 : Math.min(250, tile.dueAt - now));
      continue;
    }
    const shown = [...tiles.values()].filter((t) => t.visible).length;
    tile.dueAt = now + Math.max(PICTURE_MIN_MS, (shown * 1000) / PICTURES_PER_SECOND);
    tile.busy = true;
    try {
      await fetchPicture(tile);
    } catch {
      tile.dueAt = performance.now() + 1000; // the status says what is wrong
    }
    tile.busy = false;
  }
}

// ---- tiles ----

const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) entry.target.tile.visible = entry.isIntersecting;
}, { rootMargin: "80px" });

function makeTile(camera) {
  const root = element("tile").content.firstElementChild.cloneNode(true);
  const tile = {
    id: camera.id, name: camera.name, root, sequence: 0, pictures: 0, dueAt: 0, busy: false, visible: false,
    view: root.querySelector(".view"), canvas: root.querySelector("canvas"), why: root.querySelector(".why"),
    badge: root.querySelector(".badge"), title: root.querySelector("bdi"), numbers: root.querySelector(".numbers"),
  };
  const enlarge = root.querySelector(".enlarge");
  enlarge.setAttribute("aria-label", `Enlarge ${camera.name}`);
  enlarge.addEventListener("click", () => {
    enlarge.setAttribute("aria-pressed", String(root.classList.toggle("large")));
  });
  root.tile = tile;
  root.dataset.camera = camera.id;
  tile.canvas.setAttribute("aria-label", `${camera.name}: no picture yet`);
  element("grid").append(root);
  observer.observe(root);
  return tile;
}

function showWhy(tile, camera) {
  const [what, detail, advice] = tile.why.children;
  tile.why.hidden = camera.state === "live" || (camera.state === "stopped" && tile.pictures > 0);
  setText(what, camera.reason === "none" ? words(camera.state) : `${words(camera.state)}: ${words(camera.reason)}`);
  setText(detail, camera.detail || "");
  setText(advice, [camera.advice, `for ${duration(camera.sinceS)}`].filter(Boolean).join(" · "));
}

function showNumbers(tile, camera, dropRate) {
  const parts = [
    [rate(camera.inferredFps), ` of ${rate(camera.readFps)} fps`],
    [`${Math.round(camera.ageMs.p50)}`, " ms old"],
    [count(camera.books.dropped), ` dropped${dropRate > 0.05 ? ` (${rate(dropRate)}/s)` : ""}`],
  ];
  if (camera.books.failed > 0) parts.push([count(camera.books.failed), " failed"]);
  if (camera.reconnects > 0) parts.push([count(camera.reconnects), " reconnects"]);
  const nodes = parts.flatMap(([value, unit], i) => {
    const bold = document.createElement("b");
    bold.textContent = value;
    return [i > 0 ? " · " : "", bold, unit];
  });
  tile.numbers.replaceChildren(...nodes);
  tile.numbers.title = `dropped: ${reasons(camera.books.droppedBy)}\nfailed: ${reasons(camera.books.failedBy)}\n${camera.url}`;
}

function showCamera(camera, before, seconds) {
  if (!tiles.has(camera.id)) tiles.set(camera.id, makeTile(camera));
  const tile = tiles.get(camera.id);
  const dropRate = before ? (camera.books.dropped - before.books.dropped) / seconds : 0;
  tile.badge.className = `chip badge ${tones[camera.state] || ""}`;
  setText(tile.badge, words(camera.state));
  setText(tile.title, camera.name);
  tile.title.title = camera.name;
  if (camera.width) tile.view.style.setProperty("--ratio", `${camera.width} / ${camera.height}`);
  showWhy(tile, camera);
  showNumbers(tile, camera, dropRate);
}

// ---- totals ----

const history = []; // inferred frames a second, oldest first

function drawLine(value) {
  history.push(value);
  if (history.length > HISTORY) history.shift();
  const top = Math.max(...history, 1e-9) * 1.1;
  const text = history.map((v, i) => `${(120 * (i + HISTORY - history.length)) / (HISTORY - 1)},${30 - (28 * v) / top}`);
  element("inferred-line").firstElementChild.setAttribute("points", text.join(" "));
}

function showRate(name, status, seconds) {
  const now = status.books[name];
  const perSecond = previous ? Math.max(0, now - previous.books[name]) / seconds : 0;
  setText(element(name), rate(perSecond));
  return perSecond;
}

function showLosses(name, perSecond, by) {
  setText(element(`${name}-total`), reasons(by));
  element(name).closest(".total").classList.toggle("alarm", perSecond > 0);
}

function showTotals(status, seconds) {
  setText(element("inferred"), rate(status.inferredFps));
  setText(element("inferred-total"), count(status.books.inferred));
  setText(element("read"), rate(status.readFps));
  setText(element("read-total"), count(status.books.read));
  showRate("published", status, seconds);
  setText(element("published-total"), count(status.books.published));
  showLosses("dropped", showRate("dropped", status, seconds), status.books.droppedBy);
  showLosses("failed", showRate("failed", status, seconds), status.books.failedBy);
  setText(element("age-p50"), status.ageMs.p50.toFixed(0));
  setText(element("age-p99"), status.ageMs.p99.toFixed(0));
  setText(element("inference"), status.stepsMs.inference.p50.toFixed(1));
  setText(element("wait"), status.stepsMs.queue.p50.toFixed(1));
  setText(element("workers"), String(status.workers));
  setText(element("busy"), (status.workersBusy * 100).toFixed(0));
  element("busy-bar").value = status.workersBusy;
  setText(element("bottleneck"), words(status.bottleneck));
  setText(element("queue"), `${status.publishQueue.size}/${status.publishQueue.capacity}`);
  drawLine(status.inferredFps);
}

function showHeader(status) {
  const live = status.cameras.filter((camera) => camera.state === "live").length;
  const chip = element("state");
  setText(chip, status.state);
  chip.className = `chip ${{ running: "good", failed: "bad" }[status.state] || "warn"}`;
  chip.title = status.message || "";
  setText(element("detector"), status.detector);
  setText(element("cameras"), String(status.cameras.length));
  setText(element("live"), live === status.cameras.length ? "live" : `(${live} live)`);
  setText(element("elapsed"), duration(status.elapsedS));
  document.title = `weir: ${rate(status.inferredFps)} frames/s`;
}

// Few cameras get large pictures, many get small ones.
function sizeTiles(n) {
  document.documentElement.style.setProperty("--tile", n <= 2 ? "560px" : n <= 4 ? "460px" : n <= 12 ? "340px" : "260px");
}

function show(status) {
  const seconds = previous ? Math.max(0.001, status.elapsedS - previous.elapsedS) : 1;
  if (previous && status.elapsedS < previous.elapsedS) previous = null; // another run
  const before = new Map((previous ? previous.cameras : []).map((camera) => [camera.id, camera]));
  showHeader(status);
  showTotals(status, seconds);
  sizeTiles(status.cameras.length);
  for (const camera of status.cameras) showCamera(camera, before.get(camera.id), seconds);
  const present = new Set(status.cameras.map((camera) => camera.id));
  for (const [id, tile] of tiles) {
    if (present.has(id)) continue;
    observer.unobserve(tile.root);
    tile.root.remove();
    tiles.delete(id);
  }
  previous = status;
}

function showLost(lost) {
  const line = element("lost");
  line.hidden = !lost;
  if (!lost) return;
  setText(line, "No answer from weir: the numbers and pictures below are the last ones. Trying again.");
  setText(element("state"), "no answer");
  element("state").className = "chip bad";
}

async function showStatus() {
  let failures = 0;
  for (;;) {
    if (!document.hidden) {
      try {
        const answer = await request("api/v1/status");
        if (!answer.ok) throw new Error(answer.statusText);
        show(await answer.json());
        failures = 0;
      } catch {
        failures++;
      }
      showLost(failures > 1);
    }
    await wait(STATUS_MS);
  }
}

showStatus();
for (let i = 0; i < PICTURES_AT_ONCE; i++) showPictures();
