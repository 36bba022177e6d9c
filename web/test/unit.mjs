// The parts of the page that need no browser: numbers, clocks, the store, what a picture shows.
//
//   node --test test/unit.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { built, columns } from "./built.mjs";

const load = await built(["format", "clock", "store", "time/bars", "time/plane", "lanes/dense", "lanes/shapes", "lanes/stages", "live/feed", "live/numbers", "live/readings", "time/host", "stalls/store", "stalls/pools", "stalls/opened"]);
const format = await load("format");
const clock = await load("clock");
const store = await load("store");
const bars = await load("time-bars");
const dense = await load("lanes-dense");
const shapes = await load("lanes-shapes");
const stages = await load("lanes-stages");
const feed = await load("live-feed");
const numbers = await load("live-numbers");
const readings = await load("live-readings");
const host = await load("time-host");
const stallStore = await load("stalls-store");
const pools = await load("stalls-pools");
const openedStalls = await load("stalls-opened");

test("durations on both sides of every change of unit", () => {
  const cases = [[0, "0 s"], [0.999, "999 ns"], [1, "1 µs"], [9.94, "9.9 µs"], [442, "442 µs"], [999.4, "999 µs"], [999.5, "1 ms"], [5_800, "5.8 ms"], [577_000, "577 ms"], [999_500, "1.00 s"], [1_620_000, "1.62 s"], [9_995_000, "10.0 s"], [51_000_000, "51 s"], [99_950_000, "100 s"], [119_500_000, "2 min 00 s"], [3_599_500_000, "1 h 00 min"], [86_370_000_000, "1 d 00 h"]];
  for (const [us, expected] of cases) assert.equal(format.duration(us), expected, String(us));
});

test("stopped time of several JVMs is that of each", () => {
  const it = store.createStore(columns([]), []);
  for (const [jvm, startUs, lengthUs] of [["a", 0, 900], ["b", 100, 200], ["a", 800, 300]]) {
    const before = it.count > 0 ? it.startUs[it.count - 1] : 0;
    store.append(it, { ...columns([[startUs - before, lengthUs]]), jvm });
  }
  assert.equal(numbers.stoppedUs(it), 1_300);
  assert.deepEqual([0, 1, 2].map((pause) => store.jvmName(it, pause)), ["a", "b", "a"]);
  assert.ok(numbers.cardsOf(it, 3_600e3)[0].label.endsWith("2 JVMs"));
  assert.match(numbers.headlineOf(it, 3_600e3), / stopped in the last .+, .+ of it/);
  store.dropFirst(it, 1);
  assert.deepEqual([0, 1].map((pause) => store.jvmName(it, pause)), ["b", "a"]);
});

test("two JVMs may have the same pause at the same time, and one has it once", () => {
  const it = fed(livePause(1, 200));
  const [orders, billing] = ["orders (pid 1)", "billing (pid 2)"].map((jvm) => ({ ...livePause(5, 200), jvm }));
  for (const event of [orders, billing, orders]) feed.take(it, event);
  assert.equal(it.app.store.count, 3);
  assert.equal(it.line, `orders (pid 1): ${orders.line}`);
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
  const zoneless = { ...it, zoneMinutes: null, zoneless: true };
  assert.deepEqual(clock.zonesOf(zoneless), ["unknown"]);
  assert.equal(clock.fullTime(0, "unknown", zoneless), "2026-11-24 23:59:59.900 (no zone)");
  assert.deepEqual(clock.zonesOf({ wallMs: null, uptimeMs: 0, zoneMinutes: null }), ["uptime"]);
});

test("a range of a few seconds says its milliseconds", () => {
  const it = { wallMs: Date.UTC(2026, 10, 24, 19, 35, 59), uptimeMs: null, zoneMinutes: null };
  assert.equal(clock.rangeText(0, 20e6, "utc", it), "2026-11-24 19:35:59 – 19:36:19 UTC");
  assert.equal(clock.rangeText(0, 276_000, "utc", it), "2026-11-24 19:35:59.000 – 19:35:59.276 UTC");
});

test("uptimes of hours are read as hours, and found in the log by their seconds", () => {
  const it = { wallMs: null, uptimeMs: 0, zoneMinutes: null };
  const at = (s) => [clock.timeOfDay(s * 1e6, "uptime", it), clock.fullTime(s * 1e6, "uptime", it)];
  assert.deepEqual(at(3_599.999), ["3599.999 s", "uptime 3599.999 s"]);
  assert.deepEqual(at(40_974.979), ["11:22:54.979", "uptime 11:22:54.979 (40974.979 s)"]);
  assert.equal(clock.timeOfDay(7_199.999_6e6, "uptime", it), "2:00:00.000");
  assert.equal(clock.rangeText(1e6, 105_854e6, "uptime", it), "0:00:01 – 29:24:14");
  assert.equal(clock.rangeText(0.13e6, 0.41e6, "uptime", it), "0.130 s – 0.410 s");
  const labels = (from, to) => clock.ticks(from * 1e6, to * 1e6, 5, "uptime", it).map((tick) => tick.label);
  assert.deepEqual(labels(0, 108_000), ["0:00:00", "6:00:00", "12:00:00", "18:00:00", "24:00:00", "30:00:00"]);
  assert.deepEqual(labels(3_600, 3_602), ["1:00:00.0", "1:00:00.5", "1:00:01.0", "1:00:01.5", "1:00:02.0"]);
  assert.deepEqual(labels(10, 60), ["10 s", "20 s", "30 s", "40 s", "50 s", "60 s"]);
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
  const found = bars.visibleBars(it, plane, null);
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
  assert.deepEqual(bars.visibleBars(it, plane, null).map((bar) => bar.pause), [0]);
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

const { longestIn, longestPauses } = store;
const longestOf = (it) => it.lengthUs[longestIn(it, 0, it.count)];
const SINCE = Date.UTC(2026, 10, 24, 10, 0, 0);
const hello = { version: "1", title: "orders (pid 1)", limit_ms: 100, since_wall_ms: SINCE, zone_minutes: 0, kept_ms: 3_600_000, opened: 24, pages: {}, words: [] };
const causeOf = (id) => ({ id, title: id, short: id, class: "gc", nature: "fault", page: [] });

/** A pause of so many milliseconds of a cause, at so many seconds after the watch began; with its threads. */
const livePause = (second, ms, id = "gc-work", other = "unused") => ({
  line: `${id} at ${second}`,
  // What an index means differs from event to event.
  causes: [causeOf(other), causeOf(id)],
  pauses: columns([[250, ms * 1_000]], { origin_wall_ms: SINCE + second * 1_000, parts: [1, 1, ms * 1_000], operations: [id] }),
  findings: [{ number: 1, cause: 1, extent: "told", share: "told", story: [`at ${second}`] }],
  opened: [{ pause: 0, segments: [{ start_us: 0, length_us: ms * 1_000, cause: 1, lane: null }], lanes: [], waits: [], phases: [], stages: [], needs: [], left_out: 0 }],
});

const fed = (...events) => {
  const it = feed.createFeed(hello);
  for (const event of events) feed.take(it, event);
  feed.tick(it, 0);
  return it;
};

test("hiccups are counted apart from the stops of the JVM", () => {
  const four = columns([[0, 1_000], [5_000, 20_000], [30_000, 2_000], [40_000, 3_000]], { kind: "shgs" });
  const made = store.createStore(four, []);
  assert.equal(store.pausesText(made, 0, 4), "3 stops, 6 ms · 1 hiccup, 20 ms");
  assert.equal(store.pausesText(made, 1, 2), "1 hiccup, 20 ms");
  assert.equal(store.pausesText(made, 2, 4), "2 stops, 5 ms");
  store.dropFirst(made, 2);
  assert.equal(store.pausesText(made, 0, 2), "2 stops, 5 ms");
});

test("a stop whose begin or end was not seen is at least as long as what was seen of it", () => {
  const two = store.createStore(columns([[0, 1_000], [5_000, 20_000]], { kind: "sc" }), []);
  assert.deepEqual([0, 1].map((it) => store.lengthText(two, it)), ["1 ms", "at least 20 ms"]);
  assert.equal(store.kindName(two, 1), "stop");
});

test("a stop of a log is drawn to scale, its collection's steps to the scale of the collection", () => {
  const step = (name, us) => [name, us];
  const opened = {
    segments: [{ start_us: 0, length_us: 100_000, cause: 0, lane: null }],
    stages: [
      { kind: "reaching", name: "time to safepoint", detail: "", length_us: 10_000, cpu_us: null, steps: [] },
      { kind: "collection", name: "young collection", detail: "G1 Evacuation Pause", length_us: 40_000, cpu_us: [60_000, 0, 40_000], steps: [step("Evacuate Collection Set", 30_000), step("Other", 10_000)] },
      { kind: "rest", name: "rest of the stop", detail: "", length_us: 50_000, cpu_us: null, steps: [] },
    ],
  };
  const ink = { paper: "p", text: "t", muted: "m", line: "l", lane: "n", limit: "i", accent: "a" };
  const drawn = stages.stageShapes(opened, [causeOf("gc-work")], 100_000, 0, 0, 1_000, ink);
  const bars = drawn.filter((it) => it.is === "rect" && it.fill !== "n" || it.stroke === "m");
  const placed = bars.filter((it) => it.is === "rect").map((it) => [it.x, it.width]);
  assert.deepEqual(placed, [[0, 1_000], [0, 100], [100, 400], [500, 500], [0, 750], [750, 250]]);
  const lowest = Math.max(...drawn.flatMap((it) => (it.is === "text" ? [it.y] : [])));
  assert.ok(lowest <= stages.stagesHeight(opened), `${lowest} is inside the picture`);
  assert.ok(drawn.some((it) => it.is === "text" && it.text.includes("user 60 ms, sys 0 s, real 40 ms")));
});

test("times and causes of an event are those of the page", () => {
  const { app, live } = fed(livePause(5, 200, "a", "b"), livePause(9, 300, "b", "a"), livePause(12, 400, "b", "c"));
  assert.deepEqual([...app.store.startUs.slice(0, 3)], [5_000_250, 9_000_250, 12_000_250]);
  assert.equal(app.store.causes[app.store.partCause[2]].id, "b");
  assert.equal(app.store.causes[app.opened.get(0).segments[0].cause].id, "a");
  assert.deepEqual(live.causes.map((it) => [app.store.causes[it.cause].id, it.finding.number, it.finding.extent, it.finding.share, it.finding.story[0]]), [["b", 1, "700 ms in 2 pauses", "78 %", "at 12"], ["a", 2, "200 ms in 1 pause", "22 %", "at 5"]]);
});

test("a pause that is told late takes its place, and what is open stays open", () => {
  const it = fed(livePause(1, 200, "a"), livePause(9, 300, "b"));
  const { store, view, opened } = it.app;
  view.set({ selected: 1, isNewest: false });
  feed.take(it, livePause(5, 400, "late", "a"));
  feed.tick(it, 0);
  assert.deepEqual([0, 1, 2].map((i) => store.operations[store.operation[i]]), ["a", "late", "b"]);
  assert.deepEqual([0, 1, 2].map((i) => [store.causes[store.partCause[store.partFrom[i]]].id, store.partUs[store.partFrom[i]]]), [["a", 200_000], ["late", 400_000], ["b", 300_000]]);
  assert.equal(view.value.selected, 2);
  assert.deepEqual([...opened.entries()].map(([key, look]) => [key, look.pause]).sort(), [[0, 0], [1, 1], [2, 2]]);
  assert.equal(store.stoppedBeforeUs[3], 900_000);
  assert.equal(longestOf(it.app.store), 400_000);
});

test("the last hour again after a lost connection doubles nothing, and what was open is open", () => {
  const events = [livePause(1, 200), livePause(5, 400), livePause(9, 300)];
  const it = fed(...events);
  it.app.view.set({ selected: 1, isNewest: false });
  feed.beginAnew(it);
  for (const event of [...events, livePause(11, 100), events[2]]) feed.take(it, event);
  feed.show(it, 0);
  assert.equal(it.app.store.count, 4);
  assert.equal(it.app.view.value.selected, 1);
  assert.equal(it.app.store.causes.length, 2);
});

test("a day of pauses needs no more room than an hour of them", () => {
  const it = fed();
  const { store, view, opened } = it.app;
  const [pauses, day] = [100_000, 86_400];
  const stayed = [];
  for (let i = 0; i < pauses; i++) {
    const second = (i * day) / pauses;
    feed.take(it, livePause(second, 100 + ((i * 7_919) % 997), `cause-${i % 40}`, `cause-${(i + 1) % 40}`));
    feed.show(it, second * 1e6);
    if (i % 50 === 0) feed.tick(it, (second + 1) * 1e6);
    if (i === 50_000) view.set({ selected: 48_000 - (50_000 - store.count), isNewest: false });
    if (i > 50_000 && i < 51_000) stayed.push(store.startUs[view.value.selected]);
  }
  const anHour = pauses / 24;
  feed.tick(it, day * 1e6);
  assert.ok(Math.abs(store.count - anHour) < 5, `${store.count}`);
  const arrays = Object.entries(store).filter(([, value]) => ArrayBuffer.isView(value));
  assert.equal(arrays.length, 15);
  for (const [name, array] of arrays) assert.ok(array.length <= 2 * (anHour + 60), `${name}: ${array.length}`);
  assert.ok(opened.size <= 26 && it.newest.size === 40 && it.indices.size === 40 && it.live.causes.length === 40 && store.causes.length === 40 && store.operations.length === 40);
  assert.equal(new Set(stayed).size, 1, "the selected pause stays the same one");
  assert.ok(view.value.selected === store.count - 1 && view.value.isNewest, "until it is too old");
  // A shorter one that was let go does not come back when longer ones become too old.
  const long = store.lengthUs[longestPauses(store, 100)[99]];
  const isLong = [...opened].map(([pause, look]) => look.pause === pause && store.lengthUs[pause] >= long);
  assert.ok(isLong.filter(Boolean).length >= 20, `${isLong}`);
  assert.equal(view.value.toUs - view.value.fromUs, hello.kept_ms * 1_000);
  assert.equal(view.value.toUs, store.endUs);
});

test("names of operations without end are forgotten with their pauses", () => {
  const it = fed();
  for (let i = 0; i < 20_000; i++) {
    feed.take(it, livePause(i * 10, 100, "a"));
    it.app.store.operations[it.app.store.operation[it.app.store.count - 1]] = `operation ${i}`;
    if (i % 10 === 0) feed.tick(it, i * 10e6);
  }
  const { store: kept } = it.app;
  assert.ok(kept.operations.length <= 1_400, `${kept.operations.length}`);
  assert.equal(store.operationName(kept, kept.count - 1), "operation 19999");
});

test("a range that was chosen stays until its time is forgotten", () => {
  const it = fed(livePause(1, 200));
  it.app.view.set({ fromUs: 2e6, toUs: 4e6, isFollowing: false });
  feed.tick(it, 3_000e6);
  assert.deepEqual([it.app.view.value.fromUs, it.app.view.value.toUs], [2e6, 4e6]);
  feed.tick(it, 7_200e6);
  assert.deepEqual([it.app.view.value.fromUs, it.app.view.value.toUs], [3_600e6, 3_602e6]);
  assert.equal(it.app.store.count, 0);
});

test("the whole stays the whole while time goes on, and `follow` keeps its width", () => {
  const it = fed(livePause(1, 200));
  for (let i = 0; i < 1_000; i++) feed.tick(it, 20e6 + i * 1_000_123.456_7 + 0.1);
  const { view, store } = it.app;
  assert.deepEqual([view.value.fromUs, view.value.toUs], [0, store.endUs]);
  view.set({ fromUs: store.endUs - 5e6, toUs: store.endUs });
  for (let i = 1_000; i < 5_000; i++) feed.tick(it, 20e6 + i * 1_000_123.456_7 + 0.1);
  assert.deepEqual([view.value.toUs - view.value.fromUs, view.value.toUs], [5e6, store.endUs]);
});

/** Episodes of one cause: for each its begin and its stalls as thread, holder, begin in it and length. */
const someStalls = (...episodes) => ({
  threads: ["holder", "waiter-1", "waiter-2", "other"].map((name, at) => ({ tid: at + 7, name, pool: [0, 1, 1, 2][at] })),
  pools: ["holder", "waiter-*", "other"],
  places: [{ thread: "holder", call: "fdatasync()", file: "a.log", file_system: "ext4", device: "sdb1", stack: ["io_schedule", "ext4_sync_file"], waits_for: "a journal commit", marked: 1 }],
  episodes: episodes.map(([start, ...stalls]) => ({
    start_us: start,
    length_us: Math.max(...stalls.map(([, , from, length]) => from + length)),
    stalls: stalls.length,
    threads: new Set(stalls.map(([thread]) => thread)).size,
    time_us: stalls.reduce((sum, it) => sum + it[3], 0),
    longest_us: Math.max(...stalls.map((it) => it[3])),
    unexplained_us: 0,
    told: `at ${start}`,
    pools: "waiter-*",
    cause: 0,
    certainty: "measured",
    mechanisms: [["a journal commit", 1]],
    place: 0,
    holder: 0,
    members: stalls.flatMap((it) => [...it, it[3]]),
    left_out: 0,
  })),
});
const convoy = [1_000, [0, 0, 0, 900], [1, 0, 100, 801], [2, 0, 200, 700]];
const storeOf = (...episodes) => stallStore.createStalls({ ...someStalls(...episodes), findings: [], heading: "", rest: null, episode_count: episodes.length });

test("lanes of pools count the threads that stand at once", () => {
  const lanes = pools.poolLanes(storeOf(convoy, [5_000, [1, 1, 0, 50]]), [causeOf("a")]);
  assert.deepEqual(lanes.map((it) => [it.name, it.most]), [["waiter-*", 2], ["holder", 1]]);
  const steps = [...lanes[0].atUs].map((us, at) => [us, pools.total(lanes[0].counts, at)]);
  assert.deepEqual(steps, [[1_100, 1], [1_200, 2], [1_898, 1], [1_899, 0], [5_000, 1], [5_048, 0]]);
});

test("more pools than lanes are one lane of all others, and none is lost", () => {
  const many = someStalls([0, ...Array.from({ length: 12 }, (_, at) => [at, at, 0, 1_000 - at])]);
  many.threads = Array.from({ length: 12 }, (_, at) => ({ tid: at, name: `t${at}`, pool: at }));
  many.pools = many.threads.map((it) => it.name);
  const all = stallStore.createStalls({ ...many, findings: [], heading: "", rest: null, episode_count: 1 });
  const lanes = pools.poolLanes(all, [causeOf("a")]);
  assert.deepEqual(lanes.map((it) => it.name), ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "5 others"]);
  assert.equal(lanes[7].most, 5);
});

test("what follows at once is not at the same time, whatever was rounded", () => {
  const [lane] = pools.poolLanes(storeOf([0, [1, 1, 0, 1_001]], [1_000, [1, 1, 0, 500]]), [causeOf("a")]);
  assert.equal(lane.most, 1);
});

test("a press takes the episode with a stall there, or one that is near", () => {
  const all = storeOf(convoy, [5_000, [1, 1, 0, 50]]);
  const [waiters] = pools.poolLanes(all, [causeOf("a")]);
  const at = (us) => all.episodes.indexOf(pools.episodeAt(waiters, us, 20));
  assert.deepEqual([1_050, 1_090, 1_500, 1_910, 3_000, 5_060].map(at), [-1, 0, 0, 0, -1, 1]);
});

test("an episode has a lane for each thread, the one that others waited for first, with arrows from it", () => {
  const { shown, lengthUs } = openedStalls.openedStall(storeOf(convoy).episodes[0]);
  assert.deepEqual(shown.lanes.map((it) => it.name), ["holder", "waiter-1", "waiter-2"]);
  assert.equal(lengthUs, 901);
  assert.deepEqual(shown.segments, [{ start_us: 0, length_us: 901, cause: 0, lane: null }]);
  assert.deepEqual(shown.lanes.map((it) => [it.spans[0].wait, it.spans[0].woken_by]), [[0, null], [1, 0], [1, 0]]);
  assert.deepEqual([shown.waits[0].file, shown.waits[0].waits_for, shown.waits[1].thread], ["a.log", "a journal commit", "holder"]);
});

test("a stall is cut where the JVM was stopped, which does not count", () => {
  const { shown } = openedStalls.openedStall(storeOf([1_000, [1, 1, 0, 900]]).episodes[0], [[500, 1_100], [1_300, 1_400]]);
  assert.deepEqual(shown.lanes[0].spans.map((it) => [it.start_us, it.length_us, it.state]), [[0, 100, "stopped"], [100, 200, "blocked"], [300, 100, "stopped"], [400, 500, "blocked"]]);
  assert.deepEqual(shown.segments.map((it) => [it.start_us, it.length_us]), [[100, 200], [400, 500]]);
});

const liveStall = (second, jvm = null) => ({
  line: `stall at ${second}`,
  jvm,
  causes: [causeOf("fsync")],
  origin_wall_ms: SINCE + second * 1_000,
  stalls: someStalls([0, ...convoy.slice(1)]),
  who: ["dd wrote"],
});

test("stalls of a live page come once, stay in order, and go when they are old", () => {
  const it = fed();
  const { stalls } = it.app;
  for (const second of [5, 9, 7, 9]) feed.takeStall(it, liveStall(second));
  feed.tick(it, 10e6);
  assert.deepEqual(stalls.episodes.map((of) => of.startUs), [5e6, 7e6, 9e6]);
  assert.deepEqual([stalls.episodes[0].who, it.app.store.causes[stalls.episodes[0].cause].id, it.line], [["dd wrote"], "fsync", "stall at 9"]);
  assert.equal(it.app.view.value.stall, stalls.episodes[2], "without a pause the newest is open");
  feed.take(it, livePause(10, 100));
  feed.tick(it, 11e6);
  assert.equal(it.app.view.value.stall, null);
  it.app.view.set({ stall: stalls.episodes[1], isNewest: false });
  feed.beginAnew(it);
  for (const second of [5, 7, 9]) feed.takeStall(it, liveStall(second));
  feed.tick(it, 12e6);
  assert.deepEqual([stalls.episodes.length, it.app.view.value.stall?.startUs], [3, 7e6], "what was open is open");
  feed.tick(it, 3_608e6);
  assert.deepEqual([stalls.episodes.length, it.app.view.value.stall], [1, null]);
});

test("stalls without end need no more room than so many", () => {
  const it = fed();
  for (let i = 0; i < 5_000; i++) {
    feed.takeStall(it, liveStall(i * 0.1));
    if (i % 100 === 0) feed.tick(it, i * 1e5);
  }
  feed.tick(it, 500e6);
  assert.equal(it.app.stalls.episodes.length, 1_000);
});

test("stopped time that pauses share counts once", () => {
  const it = store.createStore(columns([[0, 900], [100, 200], [800, 300], [2_000, 50]]), []);
  assert.equal(numbers.stoppedUs(it), 1_150);
  assert.equal(numbers.quantile(Float64Array.of(1, 2, 3, 4), 0.5), 2);
  assert.equal(numbers.quantile(new Float64Array(0), 0.99), 0);
});

const hostLine = (kind, at_ms, value, more = {}) => ({ kind, name: "", is_shown: true, at_ms, value, ...more });
const nothing = { host: [], heap: [] };

test("readings come behind those that are there, each once, in the order of the event", () => {
  const first = readings.withReadings(nothing, { host: [hostLine("swap_in", [1_000, 2_000], [1, 2]), hostLine("steal", [1_000], [5])], heap: [[900, 9, 3, 10]] });
  const news = { host: [hostLine("steal", [2_000], [6], { is_shown: false }), hostLine("swap_in", [1_000, 2_000, 3_000], [1, 2, 3])], heap: [[900, 9, 3, 10], [1_900, 8, 2, 10]] };
  const second = readings.withReadings(first, news);
  assert.deepEqual(second.host.map((it) => [it.kind, it.is_shown, it.at_ms, it.value]), [["steal", false, [1_000, 2_000], [5, 6]], ["swap_in", true, [1_000, 2_000, 3_000], [1, 2, 3]]]);
  assert.deepEqual(second.heap, news.heap);
  assert.deepEqual(readings.withReadings(second, { host: [hostLine("swap_in", [], []), hostLine("available", [], [])], heap: [] }).host.map((it) => it.kind), ["swap_in"], "what is no line any more, or not yet, is none");
});

test("readings on both sides of the begin of the kept time", () => {
  const it = { host: [hostLine("swap_in", [999, 1_000, 2_000], [1, 2, 3]), hostLine("steal", [1], [1])], heap: [[999, 1, 1, 1], [1_000, 1, 1, 1]] };
  const left = readings.withoutOld(it, 1_000);
  assert.deepEqual(left.host.map(({ at_ms, value }) => [at_ms, value]), [[[1_000, 2_000], [2, 3]]]);
  assert.deepEqual(left.heap, [[1_000, 1, 1, 1]]);
});

test("readings without end need no more room than so many", () => {
  let it = nothing;
  for (let i = 0; i < 10_000; i++) it = readings.withReadings(it, { host: [hostLine("swap_in", [i * 1_000], [i])], heap: [[i * 1_000, i, 0, null]] });
  assert.deepEqual([it.host[0].at_ms.length, it.host[0].value.length, it.host[0].value[3_999]], [4_000, 4_000, 9_999]);
  assert.deepEqual([it.heap.length, it.heap.at(-1)[1]], [4_000, 9_999]);
  assert.ok(it.heap.every(([ms], at) => at === 0 || ms > it.heap[at - 1][0]));
});

test("a live page draws what was read until it is too old, and none of it after a new beginning", () => {
  const it = fed(livePause(1, 200));
  assert.deepEqual(it.app.beneath, nothing, "a page without readings has none, as one of kept recordings");
  assert.equal(feed.takeReadings(it, { host: [hostLine("swap_in", [1_000, 40_000], [1, 2])], heap: [[2_000, 1, 1, 1]] }), 40_000);
  feed.tick(it, 0);
  assert.equal(it.app.store.endUs, 40e6, "the axis goes as far as the readings");
  feed.tick(it, 3_601e6);
  assert.deepEqual([it.app.beneath.host[0].at_ms, it.app.beneath.heap.length], [[1_000, 40_000], 1]);
  feed.tick(it, 3_601.001e6);
  assert.deepEqual(it.app.beneath.host[0].at_ms, [40_000]);
  feed.beginAnew(it);
  assert.deepEqual(it.app.beneath, nothing);
});

test("a line that ends before the run does, on both sides", () => {
  assert.deepEqual([[1.19e6, false], [1.2e6, false], [14.9e6, true], [15e6, true]].map(([us, isLive]) => host.isCutShort(5, 5 + us, isLive)), [false, true, false, true]);
});
