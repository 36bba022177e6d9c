// A small square in the colour and pattern of a class of causes.

import type { Class } from "../model";
import { CLASS_COLOUR, CLASS_NAME, CLASS_PATTERN, PATTERN_PATH, patternInk, patternWidth } from "../palette";

export function Swatch({ kind }: { kind: Class }) {
  const pattern = CLASS_PATTERN[kind];
  return (
    <svg class="swatch" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {kind !== "unexplained" && <rect width="12" height="12" fill={CLASS_COLOUR[kind]} />}
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

export function ClassLabel({ kind }: { kind: Class }) {
  return (
    <span class="class-label">
      <Swatch kind={kind} />
      {CLASS_NAME[kind]}
    </span>
  );
}
