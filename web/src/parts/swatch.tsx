// A small square in the colour and pattern of a class of causes or a kind of collection, and the marks of those.

import type { Collected } from "../model";
import { type Group, MARK_PATH, PATTERN_PATH, groupColour, groupPattern, isOpenGroup, patternInk, patternWidth } from "../palette";

export function Swatch({ kind }: { kind: Group }) {
  const pattern = groupPattern(kind);
  return (
    <svg class="swatch" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {!isOpenGroup(kind) && <rect width="12" height="12" fill={groupColour(kind)} />}
      {pattern !== "plain" && (
        <path
          d={[0, 8].flatMap((x) => [0, 8].map((y) => moved(PATTERN_PATH[pattern], x, y))).join("")}
          stroke={patternInk(pattern)}
          stroke-width={patternWidth(pattern)}
          fill="none"
        />
      )}
    </svg>
  );
}

/** The same tile further along; the paths use M with L, or M with h or v, all in plain numbers. */
function moved(path: string, dx: number, dy: number): string {
  return path.replace(/([ML])(-?\d+) (-?\d+)/g, (_, command: string, x: string, y: string) => `${command}${Number(x) + dx} ${Number(y) + dy}`);
}

/** The mark that a collection of this kind has above its bar. */
export function Mark({ kind }: { kind: Collected }) {
  return (
    <svg class="mark" viewBox="-1 -1 12 12" width="12" height="12" aria-hidden="true">
      <path d={MARK_PATH[kind]} />
    </svg>
  );
}
