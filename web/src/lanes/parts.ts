// A pause without lanes: its parts in one bar, in proportion. A log says how long each took, not when.

import { duration } from "../format";
import type { CauseInfo } from "../model";
import { CLASS_INK, CLASS_PATTERN, type Ink } from "../palette";
import type { Part } from "../store";
import { type Shape, fillOf } from "./shapes";

export const PARTS_HEIGHT = 30;

export function partShapes(parts: Part[], causes: CauseInfo[], left: number, top: number, width: number, ink: Ink): Shape[] {
  const whole = parts.reduce((sum, it) => sum + it.us, 0) || 1;
  const shapes: Shape[] = [{ is: "rect", x: left, y: top, width, height: PARTS_HEIGHT, fill: ink.lane }];
  let x = left;
  for (const part of parts) {
    const cause = part.cause === null ? undefined : causes[part.cause];
    const kind = cause?.class ?? "unexplained";
    const wide = (part.us / whole) * width;
    shapes.push({ is: "rect", x, y: top, width: Math.max(1, wide), height: PARTS_HEIGHT, fill: fillOf(kind), pattern: wide > 6 ? CLASS_PATTERN[kind] : undefined, stroke: kind === "unexplained" && wide > 3 ? ink.muted : undefined });
    if (wide > 46) {
      const text = `${cause?.title ?? "unexplained"} · ${duration(part.us)}`;
      shapes.push({ is: "text", x: x + wide / 2, y: top + 19, text, fill: kind === "unexplained" ? ink.text : CLASS_INK[kind], halo: kind === "unexplained" ? ink.paper : undefined, anchor: "middle", room: wide - 10 });
    }
    x += wide;
  }
  return shapes;
}
