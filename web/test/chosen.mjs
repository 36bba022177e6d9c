// Which pauses the range and the filter choose, what is added up of them, and how they are coloured.
//
//   node --test test/chosen.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { built, columns } from "./built.mjs";

const load = await built(["store", "parts/causes", "parts/to-do", "chosen/filter", "chosen/sums", "chosen/cards", "time/bars", "time/draw"]);
const { saidBefore, chosenFindings } = await load("parts-causes");
const { otherSteps } = await load("parts-to-do");
const { createStore, longestPauses } = await load("store");
const filter = await load("chosen-filter");
const { choose, chosenText } = await load("chosen-sums");
const { chosenCards, chosenNumbers, extentOf } = await load("chosen-cards");
const { visibleBars, markedPauses } = await load("time-bars");
const { drawBars, groupOf } = await load("time-draw");

const cause = (id, kind) => ({ id, title: `Title of ${id}`, short: id, class: kind, nature: "fault", page: [] });
const CAUSES = [cause("gc-work", "gc"), cause("gc-log-write-blocked", "disk"), cause("cfs-throttling", "quota")];

/** Five pauses: begin and length in ms, what the collector did, operation, parts as cause and ms. */
const made = (limit = 50, sums = undefined) => {
  const pauses = [
    [0, 100, "y", 0, [[0, 60], [1, 40]]],
    [1_000, 20, "f", 1, [[0, 20]]],
    [2_000, 300, "y", 0, [[1, 290]]],
    [3_000, 10, "-", 2, [[2, 10]]],
    [4_000, 70, "-", 2, []],
  ];
  return createStore(
    {
      ...columns(pauses.map(([start, length]) => [start * 1_000, length * 1_000])),
      limit_ms: limit,
      sums,
      span_ms: 5_000,
      kind: "ssssh",
      collected: pauses.map((it) => it[2]).join(""),
      operation: pauses.map((it) => it[3]),
      operations: ["G1CollectForAllocation", "G1CollectFull", "RevokeBias"],
      parts: pauses.flatMap((it) => [it[4].length, ...it[4].flatMap(([of, ms]) => [of, ms * 1_000])]),
    },
    CAUSES,
  );
};

const passed = (change) => {
  const mask = filter.maskOf(made(), { ...filter.NO_FILTER, ...change });
  return mask === null ? null : [...mask].flatMap((it, at) => (it ? [at] : []));
};

test("a filter by cause, kind, length and text, each alone and together", () => {
  assert.equal(passed({}), null, "no filter, no mask");
  assert.deepEqual(passed({ cause: "gc-log-write-blocked" }), [0, 2]);
  assert.deepEqual(passed({ cause: "unexplained" }), [2, 4]);
  assert.deepEqual(passed({ cause: "no-such-cause" }), []);
  assert.deepEqual(passed({ kind: "f" }), [1]);
  assert.deepEqual(passed({ kind: "-" }), [3], "a hiccup is no stop without a collection");
  assert.deepEqual(passed({ kind: "h" }), [4]);
  assert.deepEqual(passed({ leastUs: 70_000 }), [0, 2, 4]);
  assert.deepEqual(passed({ leastUs: 70_001 }), [0, 2]);
  assert.deepEqual(passed({ text: "revoke" }), [3, 4]);
  assert.deepEqual(passed({ text: " FULL " }), [1], "in the operation and in the kind");
  assert.deepEqual(passed({ text: "cfs-thr" }), [3]);
  assert.deepEqual(passed({ text: "young", leastUs: 200_000 }), [2]);
});

test("the sums are of the pauses of the range, whole", () => {
  const it = made();
  const of = (from, to, mask = null) => choose(it, mask, from * 1_000, to * 1_000, false);
  const some = of(900, 2_100);
  assert.deepEqual([...some.pauses], [1, 2]);
  assert.deepEqual([some.totalUs, some.withinUs, some.longestUs, some.longCount], [320_000, 120_000, 300_000, 1]);
  assert.deepEqual([...some.causeUs], [20_000, 290_000, 0]);
  assert.deepEqual([...some.kinds], [["f", { count: 1, us: 20_000 }], ["y", { count: 1, us: 300_000 }]]);
  assert.deepEqual(extentOf(some, 1), { extent: "290 ms in 1 pause", share: "90.6 %" });
  assert.equal(chosenText(of(2_900, 5_000)), "1 stop, 10 ms · 1 hiccup, 70 ms");
  assert.deepEqual([...of(50, 60).pauses], [0], "one that began before and lasts into it");
  assert.deepEqual([...of(150, 900).pauses], [], "one that ended before is none");
  assert.deepEqual([...of(0, 5_000, filter.maskOf(it, { ...filter.NO_FILTER, leastUs: 70_000 })).pauses], [0, 2, 4]);
});

test("all pauses chosen give the sums of the store", () => {
  const it = made();
  const all = choose(it, null, 0, 5_000_000, true);
  assert.ok(all.isWhole);
  assert.deepEqual([all.totalUs, all.longCount, all.hiccups], [it.stoppedBeforeUs[5], it.longCount, it.hiccupsBefore[5]]);
  assert.equal(all.classUs.reduce((sum, us) => sum + us), all.totalUs, "the classes add up to the time");
  const numbers = chosenNumbers(it, all);
  assert.deepEqual([numbers.count, numbers.max_ns, numbers.over["100ms"], numbers.over["250ms"]], [5, 300e6, 1, 1]);
});

test("sums of all pauses are those of the text, which whole microseconds are not", () => {
  const it = made(50, { cause_us: [80_000.6, 330_000.4, 10_000], rest_us: 79_999 });
  const all = choose(it, null, 0, 5_000_000, true);
  assert.deepEqual([...all.causeUs], [80_000.6, 330_000.4, 10_000]);
  assert.equal(all.classUs.at(-1), 79_999);
  assert.equal(Math.round(all.classUs.reduce((sum, us) => sum + us)), 500_000);
  const some = choose(it, null, 900_000, 2_100_000, false);
  assert.deepEqual([...some.causeUs], [20_000, 290_000, 0], "of a range those of its pauses");
});

test("cards are of the range, and say so by its length", () => {
  const it = made();
  const labels = (chosen) => chosenCards(it, chosen, "explained").map(({ value, label }) => `${value} ${label}`);
  assert.deepEqual(labels(choose(it, null, 900_000, 2_400_000, false)), ["320 ms stopped, 21 % of 1.50 s", "300 ms longest", "79 % throughput", "96.9 % explained", "1 50 ms or longer"]);
  const filtered = labels(choose(it, filter.maskOf(it, { ...filter.NO_FILTER, kind: "f" }), 0, 5_000_000, true));
  assert.ok(!filtered.some((text) => text.includes("throughput")), "of a part of the pauses there is none");
  assert.deepEqual(labels(choose(it, null, 4_500_000, 4_600_000, false)), ["0 s stopped, 0 % of 100 ms"]);
});

test("the longest and the time line know the filter", () => {
  const it = made();
  const mask = filter.maskOf(it, { ...filter.NO_FILTER, leastUs: 70_000 });
  const plane = { left: 0, width: 3, top: 0, height: 100, fromUs: 0, toUs: 5_000_000, isLog: true, lowUs: 1, highUs: 1e6 };
  const shown = visibleBars(it, plane, mask);
  assert.deepEqual(shown.map((bar) => [bar.pause, bar.among]), [[0, 1], [2, 1], [4, 1]]);
  assert.deepEqual(longestPauses(it, 2, choose(it, mask, 0, 5_000_000, true).pauses), [2, 0]);
  assert.deepEqual(markedPauses(it, plane, null), [1], "a full collection has its mark behind longer pauses, too");
  assert.deepEqual(markedPauses(it, plane, mask), []);
});

test("the causes of a range are those with a part of it, most time first", () => {
  const it = made();
  const finding = (number, of) => ({ number, cause: of, extent: "whole", share: "whole", advice: [] });
  const outside = cause("allocation-stall", "gc");
  it.causes.push(outside);
  const findings = [finding(1, 0), finding(2, 1), finding(3, 2), finding(4, 3)];
  const shown = chosenFindings(it, findings, choose(it, null, 0, 2_500_000, false));
  assert.deepEqual(shown.map(({ number, extent }) => [number, extent]), [[2, "330 ms in 2 pauses"], [1, "80 ms in 2 pauses"], [4, "whole run: whole"]]);
});

test("advice that a cause above has is not said again", () => {
  const advice = (text, when = "at the next start") => ({ when, text, copy: text, note: "", apply: null });
  const findings = [{ number: 1, advice: [advice("-Xmx1g"), advice("a")] }, { number: 2, advice: [advice("-Xmx1g"), advice("-Xmx1g", "now")] }, { number: 3, advice: [] }];
  assert.equal(saidBefore(findings, findings[0]).size, 0);
  assert.equal(saidBefore(findings, findings[1]).get("at the next start -Xmx1g"), 1);
  assert.equal(saidBefore(findings, findings[1]).has("now -Xmx1g"), false, "at another time it is another thing to do");
  assert.equal(saidBefore(findings, findings[2]).get("at the next start -Xmx1g"), 1);
});

test("steps of the verdict stand beside the list only where it does not have them", () => {
  const to_do = [{ when: "now", text: "fix it", copy: "fix it", note: "", saves: "", causes: [] }];
  const step = (when, text) => ({ when, text, copy: null });
  assert.deepEqual(otherSteps({ steps: [step("for", "heap pressure"), step("now", "fix it")], to_do }), []);
  const record = step("to decide", "whypause record 1");
  assert.deepEqual(otherSteps({ steps: [record, step("now", "fix it")], to_do }), [record]);
  assert.deepEqual(otherSteps({ steps: [], to_do }), []);
});

/** The colours that a bar is filled with, from its foot. */
const filled = (it, plane, pause, by) => {
  const found = [];
  const ctx = { globalAlpha: 1, fillStyle: "", fillRect: (x, y, width, height) => found.push([ctx.fillStyle, Math.round(height)]) };
  drawBars(ctx, it, plane, [{ pause, among: 1, x: 0, width: 3 }], { by, only: null });
  return found;
};

test("a bar has one colour on a logarithmic axis and is divided on a linear one", () => {
  const it = made();
  const plane = { left: 0, width: 100, top: 0, height: 100, fromUs: 0, toUs: 5e6, lowUs: 1_000, highUs: 100_000 };
  const [log, linear] = [{ ...plane, isLog: true }, { ...plane, isLog: false }];
  assert.deepEqual(filled(it, log, 0, "cause"), [["#0072b2", 100]], "the largest cause has all of it");
  assert.deepEqual(filled(it, linear, 0, "cause"), [["#0072b2", 60], ["#d55e00", 40]]);
  assert.deepEqual([log, linear].map((of) => groupOf(it, of, 1, { by: "kind", only: null })), ["f", "f"]);
});

test("a filter comes back from the address as it went there, and nothing else does", () => {
  const all = { cause: "gc-work", kind: "f", leastUs: 50_000, text: "a&b=c #" };
  for (const it of [filter.NO_FILTER, all]) assert.deepEqual(filter.filterOf(new URLSearchParams(filter.filterFields(it))), it);
  const odd = filter.filterOf(new URLSearchParams([["cause", "<b>"], ["kind", "toString"], ["min", "-1"], ["text", "x".repeat(9_999)]]));
  assert.deepEqual({ ...odd, text: odd.text.length }, { ...filter.NO_FILTER, text: 200 });
});
