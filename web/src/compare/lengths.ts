// How much time the pauses of each length took, of two runs in the same buckets: so the one pause with most of the
// time is the longest bar, and not the shortest as by number.

import { axisLength, count, duration } from "../format";
import { type Store, collectedOf } from "../store";

export interface Side {
  /** To be compared with the others; see `shareOf`. */
  share: number;
  text: string;
}

export interface Pair {
  name: string;
  before: Side;
  after: Side;
}

interface Sum {
  us: number;
  pauses: number;
}

/** Each decade has three buckets: from 1, 2 and 5 of its unit. */
const STEPS = [1, 2, 5];

/** The number of the bucket of a length. */
export function bucketOf(us: number): number {
  const decade = Math.floor(Math.log10(Math.max(1, us)) + 1e-9);
  const lead = us / 10 ** decade;
  return decade * 3 + (lead >= 5 ? 2 : lead >= 2 ? 1 : 0);
}

/** The least length of a bucket. */
export const leastOf = (bucket: number): number => STEPS[bucket % 3]! * 10 ** Math.floor(bucket / 3);

/** Which pauses are counted: of collections alone where only one of the runs knows all stops. */
export function counted(store: Store, ofCollections: boolean): Uint8Array {
  const mask = new Uint8Array(store.count);
  for (let i = 0; i < store.count; i++) mask[i] = ofCollections && collectedOf(store, i) === "-" ? 0 : 1;
  return mask;
}

function sumsOf(store: Store, mask: Uint8Array): Map<number, Sum> {
  const sums = new Map<number, Sum>();
  for (let i = 0; i < store.count; i++) {
    if (!mask[i]) continue;
    const bucket = bucketOf(store.lengthUs[i]!);
    const sum = sums.get(bucket) ?? { us: 0, pauses: 0 };
    sum.us += store.lengthUs[i]!;
    sum.pauses++;
    sums.set(bucket, sum);
  }
  return sums;
}

/** Of the run's time; of a log without times, in seconds. */
const shareOf = (us: number, spanUs: number): number => us / (spanUs > 0 ? spanUs : 1e6);

export const pausesText = (n: number): string => `${count(n)} ${n === 1 ? "pause" : "pauses"}`;

function sideOf(sum: Sum | undefined, spanUs: number): Side {
  return sum ? { share: shareOf(sum.us, spanUs), text: `${duration(sum.us)} in ${pausesText(sum.pauses)}` } : { share: 0, text: "none" };
}

/** Short pauses whose buckets together have no more than this of the largest are one row. */
const SMALL = 0.01;

/** A pair for each bucket from the longest to the shortest pause of either run; the short ones that have next to no
 * time are one, and so are neighbours without any. */
export function lengthPairs(stores: [Store, Store], masks: [Uint8Array, Uint8Array], spansUs: [number, number]): Pair[] {
  const [a, b] = [sumsOf(stores[0], masks[0]), sumsOf(stores[1], masks[1])];
  const buckets = [...new Set([...a.keys(), ...b.keys()])].sort((x, y) => y - x);
  if (buckets.length === 0) return [];
  const sharesOf = (bucket: number): [number, number] => [shareOf(a.get(bucket)?.us ?? 0, spansUs[0]), shareOf(b.get(bucket)?.us ?? 0, spansUs[1])];
  const most = Math.max(...buckets.flatMap(sharesOf));
  const foot = smallUntil(buckets, (it) => sharesOf(it).map((share) => share / most) as [number, number]);
  const pairs: Pair[] = [];
  const push = (from: number, to: number): void => {
    const name = from === -Infinity ? `below ${axisLength(leastOf(to))}` : `${axisLength(leastOf(from))} – ${axisLength(leastOf(to))}`;
    pairs.push({ name, before: sideOf(within(a, from, to), spansUs[0]), after: sideOf(within(b, from, to), spansUs[1]) });
  };
  let to = buckets[0]! + 1;
  for (const bucket of buckets.filter((it) => it >= foot)) {
    if (bucket + 1 < to) push(bucket + 1, to);
    push(bucket, bucket + 1);
    to = bucket;
  }
  if (foot > buckets[buckets.length - 1]!) push(-Infinity, to);
  return pairs;
}

/** The bucket below which all is small. */
function smallUntil(buckets: number[], sharesOf: (bucket: number) => [number, number]): number {
  let [before, after] = [0, 0];
  let foot = buckets[buckets.length - 1]!;
  for (const bucket of [...buckets].reverse()) {
    const shares = sharesOf(bucket);
    foot = bucket;
    if ((before += shares[0]) > SMALL || (after += shares[1]) > SMALL) break;
  }
  return foot;
}

function within(sums: Map<number, Sum>, from: number, to: number): Sum | undefined {
  const all = [...sums].filter(([bucket]) => bucket >= from && bucket < to).map((it) => it[1]);
  if (all.length === 0) return undefined;
  return { us: all.reduce((sum, it) => sum + it.us, 0), pauses: all.reduce((sum, it) => sum + it.pauses, 0) };
}
