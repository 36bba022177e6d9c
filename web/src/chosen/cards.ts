// The numbers of the chosen pauses as the whole run has them: cards, statistics, extent of a cause.

import { count, duration, hasPercentile, percent, plural } from "../format";
import { quantile } from "../live/numbers";
import type { Answer, Numbers } from "../model";
import { CLASSES } from "../palette";
import type { Store } from "../store";
import { type Chosen, sortedLengths } from "./sums";

/** `explained`: what the share of the time that has a cause is called, which of a log alone is `in collections`. */
export function chosenCards(store: Store, chosen: Chosen, explained: string): Answer["cards"] {
  const { pauses, totalUs, withinUs, longestUs, classUs } = chosen;
  const width = chosen.toUs - chosen.fromUs;
  // Of several JVMs the sum has no share.
  const isOne = store.jvms.length === 0;
  const cards = [{ value: duration(totalUs), label: isOne ? `stopped, ${percent(withinUs / width)} of ${duration(width)}` : "stopped" }];
  if (pauses.length === 0) return cards;
  cards.push({ value: duration(longestUs), label: "longest" });
  if (hasPercentile("p99", pauses.length)) cards.push({ value: duration(quantile(sortedLengths(store, chosen), 0.99)), label: `p99 of ${plural(pauses.length, "pause")}` });
  // Of a part of the pauses it would say how long the others were, too.
  if (!chosen.hasFilter && isOne) cards.push({ value: percent(1 - withinUs / width), label: "throughput" });
  cards.push({ value: percent(1 - classUs[CLASSES.length - 1]! / (totalUs || 1)), label: explained });
  cards.push({ value: count(chosen.longCount), label: `${duration(store.limitUs)} or longer` });
  return cards;
}

/** As the JSON has them of all pauses. */
export function chosenNumbers(store: Store, chosen: Chosen): Numbers["pauses"] {
  const sorted = sortedLengths(store, chosen);
  const ns = (us: number): number => Math.round(us * 1_000);
  const at = (share: number): number => ns(quantile(sorted, share));
  const longest = chosen.pauses.reduce((most, it) => (store.kind[it] === HICCUP ? Math.max(most, store.lengthUs[it]!) : most), 0);
  return {
    count: sorted.length,
    total_ns: ns(chosen.totalUs),
    max_ns: ns(chosen.longestUs),
    mean_ns: sorted.length > 0 ? ns(chosen.totalUs / sorted.length) : 0,
    p50_ns: at(0.5),
    p90_ns: at(0.9),
    p99_ns: at(0.99),
    p99_9_ns: at(0.999),
    over: Object.fromEntries(OVER.map(([name, us]) => [name, sorted.filter((it) => it > us).length])),
    time_to_safepoint: { count: chosen.reaching.count, total_ns: ns(chosen.reaching.us), max_ns: ns(chosen.reaching.mostUs) },
    hiccups: { count: chosen.hiccups, total_ns: ns(chosen.hiccupUs), max_ns: ns(longest) },
  };
}

const HICCUP = "h".charCodeAt(0);
const OVER: [string, number][] = [["100ms", 1e5], ["250ms", 2.5e5], ["500ms", 5e5], ["1s", 1e6], ["2s", 2e6]];

/** `700 ms in 2 pauses` and its share of the time. */
export function extentOf({ causeUs, causeCount, totalUs }: Chosen, cause: number): { extent: string; share: string } {
  const us = causeUs[cause] ?? 0;
  return { extent: `${duration(us)} in ${plural(causeCount[cause] ?? 0, "pause")}`, share: percent(us / (totalUs || 1)) };
}
