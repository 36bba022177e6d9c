// Lengths of the pauses of two runs, in the same buckets.
//
//   node --test test/compare.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { built, columns } from "./built.mjs";

const load = await built(["store", "compare/lengths"]);
const { createStore } = await load("store");
const { bucketOf, leastOf, lengthPairs, counted } = await load("compare-lengths");

const run = (lengthsMs, more = {}) => createStore({ ...columns(lengthsMs.map((ms, i) => [i * 1e6, ms * 1_000])), ...more }, []);
const masks = (stores, ofCollections = false) => stores.map((it) => counted(it, ofCollections));

test("a length is in the bucket that begins at or below it", () => {
  for (const us of [1, 2, 5, 10, 20, 49, 50, 999, 1_000, 1_999, 2_000, 123_456, 5e6]) {
    const bucket = bucketOf(us);
    assert.ok(leastOf(bucket) <= us && us < leastOf(bucket + 1), `${us}`);
  }
});

test("the longest pauses are first, and have the time that they took", () => {
  const stores = [run([300, 300, 60]), run([60])];
  const pairs = lengthPairs(stores, masks(stores), [10e6, 5e6]);
  assert.deepEqual(pairs.map((it) => it.name), ["200 ms – 500 ms", "100 ms – 200 ms", "50 ms – 100 ms"]);
  assert.deepEqual(pairs[0].before, { share: 0.06, text: "600 ms in 2 pauses" });
  assert.equal(pairs[0].after.text, "none");
  assert.deepEqual(pairs[2].after, { share: 0.012, text: "60 ms in 1 pause" });
});

test("short pauses without time to speak of are one row, and none is lost", () => {
  const stores = [run([1_500, 0.3, 0.06, 3]), run([0.002])];
  const pairs = lengthPairs(stores, masks(stores), [10e6, 10e6]);
  assert.deepEqual(pairs.map((it) => [it.name, it.before.text, it.after.text]), [
    ["1 s – 2 s", "1.50 s in 1 pause", "none"],
    ["below 1 s", "3.4 ms in 3 pauses", "2 µs in 1 pause"],
  ]);
});

test("of collections alone where one run knows no other pauses", () => {
  const stores = [run([30, 40], { collected: "y-" }), run([30])];
  const pairs = lengthPairs(stores, masks(stores, true), [10e6, 10e6]);
  assert.deepEqual(pairs.map((it) => it.before.text), ["30 ms in 1 pause"]);
});

test("without pauses there is no bucket", () => {
  const stores = [run([]), run([])];
  assert.deepEqual(lengthPairs(stores, masks(stores), [0, 0]), []);
});
