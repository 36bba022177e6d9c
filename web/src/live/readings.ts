// The heap and the host of a live page: what comes is put behind what is there, and what is too old is dropped.

import type { Beneath } from "../app";
import type { HostLine, LiveReadings, Memory } from "../model";

/** An hour of readings, or of points of the heap, a second apart, and some more. */
const MOST_READINGS = 4_000;

/** With the readings of an event: its lines in its order. What was there before is not counted twice. */
export function withReadings({ host, heap }: Beneath, event: LiveReadings): Beneath {
  const known = new Map(host.map((it) => [keyOf(it), it]));
  const lines = event.host.map((it) => joined(known.get(keyOf(it)), it));
  return { host: lines.filter((it) => it.at_ms.length > 0), heap: joinedHeap(heap, event.heap) };
}

const keyOf = ({ kind, name }: HostLine): string => `${kind} ${name}`;

function joined(before: HostLine | undefined, news: HostLine): HostLine {
  if (!before) return news;
  const first = indexAfter(news.at_ms, (it) => it, before.at_ms[before.at_ms.length - 1] ?? -Infinity);
  const from = Math.max(0, before.at_ms.length + news.at_ms.length - first - MOST_READINGS);
  return { ...news, at_ms: [...before.at_ms.slice(from), ...news.at_ms.slice(first)], value: [...before.value.slice(from), ...news.value.slice(first)] };
}

function joinedHeap(before: Memory["series"], news: Memory["series"]): Memory["series"] {
  const fresh = news.slice(indexAfter(news, (it) => it[0], before[before.length - 1]?.[0] ?? -Infinity));
  return fresh.length === 0 ? before : [...before, ...fresh].slice(-MOST_READINGS);
}

/** Without what was read before this time. */
export function withoutOld({ host, heap }: Beneath, beginMs: number): Beneath {
  const cut = (it: HostLine): HostLine => {
    const old = indexAfter(it.at_ms, (ms) => ms, beginMs, true);
    return old === 0 ? it : { ...it, at_ms: it.at_ms.slice(old), value: it.value.slice(old) };
  };
  const old = indexAfter(heap, (it) => it[0], beginMs, true);
  return { host: host.map(cut).filter((it) => it.at_ms.length > 0), heap: old === 0 ? heap : heap.slice(old) };
}

/** When the host was last read, in milliseconds since time 0; 0 where it never was. */
export const lastReading = ({ host }: Beneath): number => host.reduce((last, { at_ms }) => Math.max(last, at_ms[at_ms.length - 1] ?? 0), 0);

/** The first that is later than this time, or `isAlso` at it. */
function indexAfter<T>(all: T[], msOf: (it: T) => number, ms: number, isAlso = false): number {
  const at = all.findIndex((it) => msOf(it) > ms || (isAlso && msOf(it) === ms));
  return at < 0 ? all.length : at;
}
