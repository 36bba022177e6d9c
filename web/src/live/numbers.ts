// The numbers of a live page, added up from the pauses that are kept.

import { count, duration, hasPercentile, percent, plural } from "../format";
import type { Answer, Finding, Numbers } from "../model";
import type { Store } from "../store";

/** Lengths in rising order. */
function sortedLengths(store: Store): Float64Array {
  return store.lengthUs.slice(0, store.count).sort();
}

/** The smallest length that so large a share of the pauses does not exceed. */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** Time in which JVMs were stopped: what two pauses of one share counts once. */
export function stoppedUs(store: Store): number {
  const until = new Float64Array(Math.max(1, store.jvms.length)).fill(-Infinity);
  let total = 0;
  for (let i = 0; i < store.count; i++) {
    const jvm = store.jvm[i]!;
    const end = store.startUs[i]! + store.lengthUs[i]!;
    total += Math.max(0, end - Math.max(until[jvm]!, store.startUs[i]!, store.beginUs));
    until[jvm] = Math.max(until[jvm]!, end);
  }
  return total;
}

const countOver = (store: Store, us: number): number => store.lengthUs.subarray(0, store.count).reduce((sum, it) => sum + (it >= us ? 1 : 0), 0);

const timeName = (us: number): string => (us === 3_600e6 ? "hour" : duration(us));

/** `keptMs`: how long pauses are kept; of those in a page of kept recordings the sum has no such time. */
export function cardsOf(store: Store, keptMs: number | null): Answer["cards"] {
  const span = store.endUs - store.beginUs;
  const stopped = stoppedUs(store);
  const limit = duration(store.limitUs);
  // Of several JVMs the sum has no share: how many there were all the time is not known.
  const jvms = new Set(store.jvm.subarray(0, store.count)).size;
  const share = store.jvms.length > 0 ? plural(jvms, "JVM") : percent(stopped / Math.max(span, 1));
  const cards = [
    { value: duration(stopped), label: keptMs === null ? "stopped in these pauses" : `stopped in the last ${timeName(Math.min(span, keptMs * 1_000))}, ${share}` },
    { value: duration(store.longestUs), label: "longest" },
    { value: count(countOver(store, store.limitUs)), label: `pauses of ${limit} or more` },
  ];
  if (hasPercentile("p99", store.count)) cards.splice(2, 0, { value: duration(quantile(sortedLengths(store), 0.99)), label: "p99 of these pauses" });
  if (store.limitUs < 1e6) cards.push({ value: count(countOver(store, 1e6)), label: "pauses of 1 s or more" });
  return cards;
}

/** The answer of the time that is kept: `44 % stopped in the last hour, 64 % of it: CPU contention`. */
export function headlineOf(store: Store, keptMs: number | null): string {
  if (store.count === 0) return "";
  const span = store.endUs - store.beginUs;
  const stopped = stoppedUs(store);
  // Of several JVMs, or of pauses chosen from a longer time, there is no share.
  const share = store.jvms.length > 0 || keptMs === null ? `${duration(stopped)} stopped` : `${percent(stopped / Math.max(span, 1))} stopped`;
  const when = keptMs === null ? "in these pauses" : `in the last ${timeName(Math.min(span, keptMs * 1_000))}`;
  const { us } = causeTimes(store);
  const total = Math.max(1, store.stoppedBeforeUs[store.count]!);
  const most = us.reduce((best, it, at) => (it > us[best]! ? at : best), 0);
  const explained = us.reduce((sum, it) => sum + it, 0);
  const [time, name] = (us[most] ?? 0) >= total - explained ? [us[most] ?? 0, `: ${store.causes[most]?.short}`] : [total - explained, " unexplained"];
  const part = percent(time / total);
  return `${share} ${when}, ${part === "100 %" ? "all" : part} of it${name}`;
}

export function pauseNumbers(store: Store): Numbers["pauses"] {
  const sorted = sortedLengths(store);
  const total = store.stoppedBeforeUs[store.count]!;
  const ns = (us: number): number => Math.round(us * 1_000);
  const at = (share: number): number => ns(quantile(sorted, share));
  const summed = (lengthOf: (pause: number) => number): { count: number; total_ns: number; max_ns: number } => {
    let [n, sum, most] = [0, 0, 0];
    for (let i = 0; i < store.count; i++) {
      const us = lengthOf(i);
      if (us > 0) n++;
      sum += us;
      most = Math.max(most, us);
    }
    return { count: n, total_ns: ns(sum), max_ns: ns(most) };
  };
  const hiccup = "h".charCodeAt(0);
  return {
    count: store.count,
    total_ns: ns(total),
    max_ns: ns(store.longestUs),
    mean_ns: store.count > 0 ? ns(total / store.count) : 0,
    p50_ns: at(0.5),
    p90_ns: at(0.9),
    p99_ns: at(0.99),
    p99_9_ns: at(0.999),
    over: { "1s": countOver(store, 1e6), "10s": countOver(store, 10e6) },
    time_to_safepoint: summed((it) => store.reachingUs[it]!),
    hiccups: summed((it) => (store.kind[it] === hiccup ? store.lengthUs[it]! : 0)),
  };
}

export interface CauseTimes {
  us: Float64Array;
  /** Extent and share of a cause in the kept time; as it was told where it is no part of any pause. */
  textOf: (cause: number, told: Finding) => Pick<Finding, "extent" | "share">;
}

export function causeTimes(store: Store): CauseTimes {
  const us = new Float64Array(store.causes.length);
  const pauses = new Uint32Array(store.causes.length);
  for (let pause = 0; pause < store.count; pause++) {
    for (let part = store.partFrom[pause]!; part < store.partFrom[pause + 1]!; part++) {
      us[store.partCause[part]!]! += store.partUs[part]!;
      pauses[store.partCause[part]!]!++;
    }
  }
  const total = store.stoppedBeforeUs[store.count]!;
  const textOf: CauseTimes["textOf"] = (cause, told) =>
    us[cause]! > 0 ? { extent: `${duration(us[cause]!)} in ${plural(pauses[cause]!, "pause")}`, share: percent(us[cause]! / total) } : { extent: told.extent, share: told.share };
  return { us, textOf };
}
