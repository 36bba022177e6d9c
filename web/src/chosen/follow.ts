// Keeps what is chosen up to date: the mask at once, as the time line draws it, and the sums a moment after the
// last change, so that zooming stays smooth with 100,000 pauses.

import { type App, isAll } from "../app";
import { usePart } from "../observable";
import { maskOf } from "./filter";
import { type Chosen, choose } from "./sums";

/** Sums follow when the range has stayed for so long. */
const QUIET_MS = 120;

/** The mask of the filter that is set; made anew only when that, or the pauses, changed. */
export function maskFor({ store, view, choice }: App): Uint8Array | null {
  const [{ filter }, { batches }] = [view.value, store.version.value];
  const { mask } = choice;
  if (mask.of !== store || mask.batches !== batches || mask.filter !== filter) {
    choice.mask = { of: store, batches, filter, value: maskOf(store, filter) };
  }
  return choice.mask.value;
}

function update(app: App): void {
  const { store, view, choice } = app;
  const { fromUs, toUs, isForAll } = view.value;
  const whole = isForAll || isAll(view.value, store);
  const [from, to] = whole ? [store.beginUs, Math.max(store.endUs, store.beginUs + 1)] : [fromUs, toUs];
  const mask = maskFor(app);
  const before = choice.sums.value.chosen;
  // From one view of all to another nothing changed; live, pauses came.
  if (before.isWhole && whole && mask === null && !app.live && before.toUs === to) return;
  choice.sums.set({ chosen: choose(store, mask, from, to, whole) });
}

export function followChoice(app: App): void {
  let timer = 0;
  app.view.watch((now, before) => {
    const isSame = now.fromUs === before.fromUs && now.toUs === before.toUs && now.filter === before.filter && now.isForAll === before.isForAll;
    // Live, the range moves on by itself, and the sums come with the second.
    if (isSame || (app.live !== null && now.isFollowing && before.isFollowing && now.filter === before.filter && now.isForAll === before.isForAll)) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => update(app), QUIET_MS);
  });
  app.calm.watch(() => update(app));
  update(app);
}

/** What is chosen; renders anew when it changes. */
export const useChosen = (app: App): Chosen => usePart(app.choice.sums, (it) => it.chosen);
