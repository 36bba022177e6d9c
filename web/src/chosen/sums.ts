// What is added up of the pauses that are chosen, by the range of the time line and by the filter: one pass over
// them, so that 100,000 of them are no more than a few milliseconds.

import { duration, plural } from "../format";
import { CLASSES } from "../palette";
import { type Store, classTimes, isHiccup, pausesIn } from "../store";

export interface Chosen {
  /** Indices, in order of time. A pause that only begins or ends in the range counts as a whole. */
  pauses: Uint32Array;
  /** Whether these are all that there are. */
  isWhole: boolean;
  fromUs: number;
  toUs: number;
  hasFilter: boolean;
  /** Of all of them together. */
  totalUs: number;
  /** What of that is in the range. */
  withinUs: number;
  longestUs: number;
  /** As many are as long as the limit, or longer. */
  longCount: number;
  hiccups: number;
  hiccupUs: number;
  /** By `CLASSES`, unexplained last. */
  classUs: number[];
  /** By index of the cause. */
  causeUs: Float64Array;
  causeCount: Uint32Array;
  /** By character of `Collected`; hiccups are none of them. */
  kinds: Map<string, { count: number; us: number }>;
  reaching: { count: number; us: number; mostUs: number };
}

const one = new Float64Array(CLASSES.length);

export function choose(store: Store, mask: Uint8Array | null, fromUs: number, toUs: number, isWholeRange: boolean): Chosen {
  const pauses = indices(store, mask, fromUs, toUs, isWholeRange);
  const chosen: Chosen = {
    pauses,
    isWhole: isWholeRange && mask === null,
    fromUs,
    toUs,
    hasFilter: mask !== null,
    totalUs: 0,
    withinUs: 0,
    longestUs: 0,
    longCount: 0,
    hiccups: 0,
    hiccupUs: 0,
    classUs: CLASSES.map(() => 0),
    causeUs: new Float64Array(store.causes.length),
    causeCount: new Uint32Array(store.causes.length),
    kinds: new Map(),
    reaching: { count: 0, us: 0, mostUs: 0 },
  };
  let until = fromUs;
  const kindUs = new Float64Array(128);
  const kindCount = new Uint32Array(128);
  for (const pause of pauses) {
    const length = store.lengthUs[pause]!;
    const [start, end] = [store.startUs[pause]!, store.startUs[pause]! + length];
    chosen.totalUs += length;
    // Time that two pauses share counts once.
    chosen.withinUs += Math.max(0, Math.min(end, toUs) - Math.max(start, until));
    until = Math.max(until, Math.min(end, toUs));
    chosen.longestUs = Math.max(chosen.longestUs, length);
    if (length >= store.limitUs) chosen.longCount++;
    if (isHiccup(store, pause)) {
      chosen.hiccups++;
      chosen.hiccupUs += length;
    } else {
      const kind = store.collected[pause]! & 127;
      kindUs[kind]! += length;
      kindCount[kind]!++;
    }
    const reaching = store.reachingUs[pause]!;
    if (reaching > 0) chosen.reaching.count++;
    chosen.reaching.us += reaching;
    chosen.reaching.mostUs = Math.max(chosen.reaching.mostUs, reaching);
    classTimes(store, pause, one);
    for (let i = 0; i < CLASSES.length; i++) chosen.classUs[i]! += one[i]!;
    for (let part = store.partFrom[pause]!; part < store.partFrom[pause + 1]!; part++) {
      chosen.causeUs[store.partCause[part]!]! += store.partUs[part]!;
      chosen.causeCount[store.partCause[part]!]!++;
    }
  }
  kindCount.forEach((count, code) => count > 0 && chosen.kinds.set(String.fromCharCode(code), { count, us: kindUs[code]! }));
  // Each pause's parts are whole microseconds: what remains below one for each is rounding.
  if (chosen.classUs[CLASSES.length - 1]! < pauses.length * 3) chosen.classUs[CLASSES.length - 1] = 0;
  if (chosen.isWhole) takeExact(chosen, store);
  return chosen;
}

/** The sums of the text in place of those of whole microseconds. */
function takeExact({ classUs, causeUs }: Chosen, { sums, causes }: Store): void {
  if (!sums) return;
  classUs.fill(0);
  sums.cause_us.forEach((us, cause) => {
    causeUs[cause] = us;
    classUs[CLASSES.indexOf(causes[cause]!.class)]! += us;
  });
  classUs[CLASSES.length - 1]! += sums.rest_us;
}

function indices(store: Store, mask: Uint8Array | null, fromUs: number, toUs: number, isWholeRange: boolean): Uint32Array {
  const [first, last] = isWholeRange ? [0, store.count] : pausesIn(store, fromUs, toUs);
  const found = new Uint32Array(last - first);
  let count = 0;
  for (let pause = first; pause < last; pause++) {
    if (mask && !mask[pause]) continue;
    // One before the others may have ended already.
    if (!isWholeRange && store.startUs[pause]! + store.lengthUs[pause]! < fromUs) continue;
    found[count++] = pause;
  }
  return found.subarray(0, count);
}

/** `178 stops, 3.34 s · 24 hiccups, 1.67 s`. */
export function chosenText({ pauses, totalUs, hiccups, hiccupUs }: Chosen): string {
  const stops = `${plural(pauses.length - hiccups, "stop")}, ${duration(totalUs - hiccupUs)}`;
  const others = `${plural(hiccups, "hiccup")}, ${duration(hiccupUs)}`;
  if (hiccups === 0) return stops;
  return hiccups === pauses.length ? others : `${stops} · ${others}`;
}

/** Lengths in rising order. */
export function sortedLengths(store: Store, { pauses }: Chosen): Float64Array {
  return Float64Array.from(pauses, (it) => store.lengthUs[it]!).sort();
}
