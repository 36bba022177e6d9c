// The dense part of a pause: where more than half of the slices lie in less than 5 % of the time. 10 ms of
// collection before 1.6 s of waiting would be a line; shown by itself it can be read.

import type { Opened } from "../model";

const LARGEST_SHARE = 0.05;
/** The part grows over gaps up to this share of itself. */
const GAP = 0.15;

export type Range = [number, number];

/** From the dense part's begin to its end, with a margin, or null where the slices are spread. */
export function densePart(opened: Opened, lengthUs: number): Range | null {
  const starts = opened.lanes
    .flatMap((lane) => lane.spans.filter((it) => it.state !== "idle" && it.state !== "stopped").map((it) => it.start_us))
    .sort((a, b) => a - b);
  const half = Math.floor(starts.length / 2);
  if (starts.length < 8) return null;
  let best = 0;
  for (let i = 0; i + half < starts.length; i++) {
    if (starts[i + half]! - starts[i]! < starts[best + half]! - starts[best]!) best = i;
  }
  let [low, high] = [best, best + half];
  const most = lengthUs * LARGEST_SHARE;
  const width = (): number => starts[high]! - starts[low]!;
  if (width() >= most) return null;
  for (;;) {
    const reach = Math.max(width() * GAP, 1);
    const isDown = low > 0 && starts[low]! - starts[low - 1]! <= reach && starts[high]! - starts[low - 1]! < most;
    const isUp = high + 1 < starts.length && starts[high + 1]! - starts[high]! <= reach && starts[high + 1]! - starts[low]! < most;
    if (isDown) low--;
    else if (isUp) high++;
    else break;
  }
  const margin = Math.max(width() * 0.06, 1);
  return [Math.max(0, starts[low]! - margin), Math.min(lengthUs, starts[high]! + margin)];
}
