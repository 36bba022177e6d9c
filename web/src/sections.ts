// The sections of the page in their order, for the anchors: only those for which there is data.

import type { Page } from "./model";

export interface SectionName {
  id: string;
  name: string;
}

export function sectionsOf(page: Page): SectionName[] {
  const { numbers, answer, pauses } = page;
  const all: [string, string, boolean][] = [
    ["timeline", "Time line", pauses.count > 0],
    ["pause", "Pause", pauses.count > 0],
    ["causes", "Causes", answer.findings.length > 0],
    ["pauses", "Statistics", pauses.count > 0],
    ["gc", "GC", numbers.gc !== null],
    ["memory", "Memory", numbers.memory !== null],
    ["measured", "Measured", true],
  ];
  return all.filter(([, , isThere]) => isThere).map(([id, name]) => ({ id, name }));
}
