// The sections of the page in their order, for the anchors: only those for which there is data.

import type { App } from "./app";
import type { Gc } from "./model";

export interface SectionName {
  id: string;
  name: string;
}

/** A log without collections has nothing to say of them. */
export const hasCollections = (gc: Gc | null): gc is Gc => gc !== null && gc.pauses.count + gc.concurrent_cycles + gc.allocation_stalls.count > 0;

export function sectionsOf({ page, store, stalls, live }: App): SectionName[] {
  const { numbers, answer } = page;
  const hasPauses = store.count > 0;
  const hasStalls = stalls.episodes.length > 0;
  const all: [string, string, boolean][] = [
    ["timeline", "Time line", hasPauses || hasStalls || live !== null],
    ["pause", hasPauses ? "Pause" : "Episode", hasPauses || hasStalls],
    ["causes", "Causes", (live?.causes ?? answer.findings).length > 0],
    ["stalls", "Stalls", hasStalls],
    ["pauses", "Statistics", hasPauses],
    ["gc", "GC", hasCollections(numbers.gc)],
    ["memory", "Memory", numbers.memory !== null],
    ["measured", "Measured", live === null],
  ];
  return all.filter(([, , isThere]) => isThere).map(([id, name]) => ({ id, name }));
}
