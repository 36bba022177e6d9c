// Which pauses a picture can show: in each column of pixels the longest that begins there. The work depends
// on the width of the picture, not on the number of pauses.

import { MARK_PATH } from "../palette";
import { type Store, collectedOf, isHiccup, longestIn, lowerBound, pausesIn } from "../store";
import { type Plane, xOf } from "./plane";

export interface Bar {
  pause: number;
  /** How many pauses begin in the same column. */
  among: number;
  x: number;
  width: number;
}

/** Bars are at least this wide where there is room, so that single ones are seen. */
function leastWidth(visible: number, width: number): number {
  if (visible * 8 < width) return 3;
  return visible * 4 < width ? 2 : 1;
}

/** `mask`: which pauses there are at all; null for all of them. */
export function visibleBars(store: Store, plane: Plane, mask: Uint8Array | null): Bar[] {
  const [first, last] = pausesIn(store, plane.fromUs, plane.toUs);
  const least = leastWidth(mask ? ones(mask, first, last) : last - first, plane.width);
  const columnUs = ((plane.toUs - plane.fromUs) / plane.width) * least;
  const bars: Bar[] = [];
  let i = first;
  while (i < last) {
    if (mask && !mask[i]) {
      i++;
      continue;
    }
    const column = Math.floor((store.startUs[i]! - plane.fromUs) / columnUs);
    const next = columnEnd(store, i, last, plane.fromUs + (column + 1) * columnUs);
    const pause = mask ? longestOf(store, mask, i, next) : longestIn(store, i, next);
    bars.push(barOf(store, plane, pause, mask ? ones(mask, i, next) : next - i, least));
    i = next;
  }
  return bars;
}

function ones(mask: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) count += mask[i]!;
  return count;
}

/** The longest of those in the mask, of which `from` is one. */
function longestOf(store: Store, mask: Uint8Array, from: number, to: number): number {
  let best = from;
  for (let i = from + 1; i < to; i++) if (mask[i] && store.lengthUs[i]! > store.lengthUs[best]!) best = i;
  return best;
}

/** Pauses with a mark above them; anew only when the pauses change. */
let marked = { store: null as Store | null, batches: 0, pauses: [] as number[] };

/** The pauses of a range whose collection has a mark, in order of time. */
export function markedPauses(store: Store, { fromUs, toUs }: Plane, mask: Uint8Array | null): number[] {
  const { batches } = store.version.value;
  if (marked.store !== store || marked.batches !== batches) {
    const pauses: number[] = [];
    for (let i = 0; i < store.count; i++) if (MARK_PATH[collectedOf(store, i)] && !isHiccup(store, i)) pauses.push(i);
    marked = { store, batches, pauses };
  }
  return marked.pauses.filter((it) => (!mask || mask[it]) && store.startUs[it]! <= toUs && store.startUs[it]! + store.lengthUs[it]! >= fromUs);
}

/** Columns are short beside the whole, so look near by before searching. */
function columnEnd(store: Store, from: number, last: number, edgeUs: number): number {
  let stride = 1;
  let low = from + 1;
  while (low + stride < last && store.startUs[low + stride]! < edgeUs) {
    low += stride;
    stride *= 2;
  }
  return Math.max(from + 1, lowerBound(store.startUs, edgeUs, low, Math.min(last, low + stride + 1)));
}

export function barOf(store: Store, plane: Plane, pause: number, among: number, least: number): Bar {
  // On whole pixels: a bar between two of them would be two faint ones.
  const start = Math.floor(Math.max(plane.left - 1, xOf(plane, store.startUs[pause]!)));
  const end = Math.round(Math.min(plane.left + plane.width + 1, xOf(plane, store.startUs[pause]! + store.lengthUs[pause]!)));
  return { pause, among, x: start, width: Math.max(least, end - start) };
}

/** The bar at a place: the narrowest that covers it, else the nearest within a few pixels. */
export function barAt(bars: Bar[], x: number): Bar | null {
  let best: Bar | null = null;
  let bestDistance = 6;
  for (const bar of bars) {
    const distance = Math.max(0, bar.x - x, x - bar.x - bar.width);
    const isCloser = distance < bestDistance || (distance === bestDistance && best !== null && bar.width < best.width);
    if (!isCloser) continue;
    best = bar;
    bestDistance = distance;
  }
  return best;
}
