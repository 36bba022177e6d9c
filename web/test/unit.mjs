// The parts of the page that need no browser: numbers, clocks, the store, what a picture shows.
//
//   node --test test/unit.mjs
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = mkdtempSync(join(tmpdir(), "page-"));
after(() => rmSync(out, { recursive: true }));

const names = ["format", "clock", "store", "time/bars", "time/plane", "lanes/dense", "lanes/shapes"];
await build({
  root,
  configFile: false,
  logLevel: "error",
  build: {
    outDir: out,
    minify: false,
    lib: { entry: Object.fromEntries(names.map((it) => [it.replace("/", "-"), join(root, "src", `${it}.ts`)])), formats: ["es"] },
  },
});
const load = (name) => import(pathToFileURL(join(out, `${name}.js`)).href);
const format = await load("format");
const clock = await load("clock");
const store = await load("store");
const bars = await load("time-bars");
const dense = await load("lanes-dense");
const shapes = await load("lanes-shapes");

const columns = (pauses, more = {}) => ({
  count: pauses.length,
  origin_wall_ms: null,
  origin_uptime_ms: null,
  zone_minutes: null,
  span_ms: 0,
  limit_ms: 50,
  start_us: pauses.map(([start], i) => start - (pauses[i - 1]?.[0] ?? 0)),
  length_us: pauses.map(([, length]) => length),
  reaching_us: pauses.map(() => 0),
  kind: "s".repeat(pauses.length),
  operation: pauses.map(() => 0),
  operations: ["G1"],
  parts: pauses.flatMap(() => [0]),
  left_out: 0,
  ...more,
});

test("durations on both sides of every change of unit", () => {
  const cases = [[0, "0 s"], [0.999, "999 ns"], [1, "1 µs"], [9.94, "9.9 µs"], [442, "442 µs"], [999.4, "999 µs"], [999.5, "1 ms"], [5_800, "5.8 ms"], [577_000, "577 ms"], [999_500, "1.00 s"], [1_620_000, "1.62 s"], [9_995_000, "10.0 s"], [51_000_000, "51 s"], [99_950_000, "100 s"], [119_500_000, "2 min 00 s"], [3_599_500_000, "1 h 00 min"], [86_370_000_000, "1 d 00 h"]];
  for (const [us, expected] of cases) assert.equal(format.duration(us), expected, String(us));
});

test("bytes and shares as on the terminal", () => {
  assert.deepEqual([0, 1023, 1536, 5 << 20, 150 * 2 ** 20, 1.3 * 2 ** 30].map(format.bytes), ["0 B", "1023 B", "1.5 KiB", "5 MiB", "150 MiB", "1.3 GiB"]);
  assert.deepEqual([0, 0.0005, 0.041, 0.42, 0.9662, 0.99999, 1].map(format.percent), ["0 %", "<0.1 %", "4.1 %", "42 %", "96.6 %", "99.9 %", "100 %"]);
});

test("a clock shows the log's own zone and rounds nothing away", () => {
  const it = { wallMs: Date.UTC(2026, 10, 24, 23, 59, 59, 900), uptimeMs: 1_000, zoneMinutes: 60 };
  assert.equal(clock.fullTime(200_000, "log", it), "2026-11-25 01:00:00.100 +01:00");
  assert.equal(clock.fullTime(200_000, "utc", it), "2026-11-25 00:00:00.100 UTC");
  assert.equal(clock.fullTime(200_000, "uptime", it), "uptime 1.200 s");
  assert.deepEqual(clock.zonesOf({ wallMs: null, uptimeMs: 0, zoneMinutes: null }), ["uptime"]);
});

test("marks of the time axis are at round times of the zone", () => {
  const it = { wallMs: Date.UTC(2026, 10, 24, 10, 20, 0), uptimeMs: null, zoneMinutes: 330 };
  const labels = clock.ticks(0, 4 * 3_600e6, 5, "log", it).map((tick) => tick.label);
  assert.deepEqual(labels, ["16:00", "17:00", "18:00", "19:00"]);
});

test("batches that are appended read as if they had been one", () => {
  const all = Array.from({ length: 300 }, (_, i) => [i * 1_000, 1 + ((i * 7_919) % 500)]);
  const whole = store.createStore(columns(all), []);
  const grown = store.createStore(columns(all.slice(0, 100)), []);
  const rest = columns(all.slice(100));
  rest.start_us[0] = all[100][0] - all[99][0];
  store.append(grown, { ...rest, operations: ["other"] });
  assert.equal(grown.count, 300);
  assert.deepEqual([...grown.startUs.slice(0, 300)], [...whole.startUs.slice(0, 300)]);
  assert.equal(grown.stoppedBeforeUs[300], whole.stoppedBeforeUs[300]);
  assert.equal(store.operationName(grown, 299), "other");
  assert.equal(store.operationName(grown, 99), "G1");
});

test("the longest of a range, with and without whole blocks", () => {
  const all = Array.from({ length: 1_000 }, (_, i) => [i * 1_000, 1 + ((i * 7_919) % 997)]);
  const it = store.createStore(columns(all), []);
  for (const [from, to] of [[0, 1_000], [3, 5], [63, 65], [64, 128], [100, 700]]) {
    const expected = Math.max(...all.slice(from, to).map(([, length]) => length));
    assert.equal(it.lengthUs[store.longestIn(it, from, to)], expected, `${from}..${to}`);
  }
  assert.equal(store.longestPauses(it, 5).map((i) => it.lengthUs[i]).join(), "997,996,995,994,993");
});

test("a picture shows every pause once and the longest of each column", () => {
  const all = Array.from({ length: 5_000 }, (_, i) => [i * 100, 1 + ((i * 7_919) % 97)]);
  const it = store.createStore(columns(all), []);
  const plane = { left: 0, width: 200, top: 0, height: 100, fromUs: 0, toUs: 500_000, isLog: true, lowUs: 1, highUs: 100 };
  const found = bars.visibleBars(it, plane);
  assert.equal(found.length, 200);
  assert.equal(found.reduce((sum, bar) => sum + bar.among, 0), 5_000);
  for (const bar of found) {
    const column = all.filter(([start]) => Math.floor(start / 2_500) === Math.floor(all[bar.pause][0] / 2_500));
    assert.equal(all[bar.pause][1], Math.max(...column.map(([, length]) => length)));
  }
});

test("a pause that began before the range and lasts into it is shown", () => {
  const it = store.createStore(columns([[0, 900], [1_000, 10]]), []);
  const plane = { left: 0, width: 100, top: 0, height: 100, fromUs: 500, toUs: 800, isLog: true, lowUs: 1, highUs: 1_000 };
  assert.deepEqual(bars.visibleBars(it, plane).map((bar) => bar.pause), [0]);
});

test("the dense part is found where most slices are in little of the time", () => {
  const span = (start, length, state = "cpu") => ({ start_us: start, length_us: length, state, wait: null, woken_by: null });
  const busy = Array.from({ length: 50 }, (_, i) => span(1_000 + i * 100, 90));
  const opened = { lanes: [{ spans: [...busy, span(6_000, 990_000, "blocked"), span(996_000, 4_000)] }] };
  const [from, to] = dense.densePart(opened, 1_000_000);
  assert.ok(from <= 1_000 && from > 0 && to >= 5_900 && to < 8_000, `${from}..${to}`);
  assert.equal(dense.densePart({ lanes: [{ spans: busy }] }, 6_000), null);
});

test("hostile text in a picture is text", () => {
  const svg = shapes.shapesToSvg([{ is: "text", x: 0, y: 0, text: "\u202E</text><script>\u0000\u0008\"&", fill: "#000", anchor: "start" }], 10, 10, "<b>");
  assert.ok(svg.includes("&lt;/text&gt;&lt;script&gt;&quot;&amp;") && svg.includes("<title>&lt;b&gt;</title>"), svg);
});
