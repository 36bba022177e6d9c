// What the page remembers of the choice of pauses: the mask of the filter, and the sums of what is chosen.

import { Observable } from "../observable";
import type { Store } from "../store";
import type { Filter } from "./filter";
import { type Chosen, choose } from "./sums";

export interface Choice {
  mask: { of: Store | null; batches: number; filter: Filter | null; value: Uint8Array | null };
  sums: Observable<{ chosen: Chosen }>;
}

export function createChoice(store: Store): Choice {
  return {
    mask: { of: null, batches: -1, filter: null, value: null },
    sums: new Observable({ chosen: choose(store, null, store.beginUs, Math.max(store.endUs, store.beginUs + 1), true) }),
  };
}
