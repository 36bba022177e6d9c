// The colours of the classes of causes and of the states of threads (Okabe–Ito, which colour-blind people
// can tell apart), with a pattern for each class: the same on the time line, the lanes and in the tables.

import type { Class, Span } from "./model";

/** In the order in which a bar is stacked; `unexplained` is always on top. */
export const CLASSES: Class[] = ["gc", "vm", "disk", "cpu", "memory", "late", "outside", "unexplained"];

export const CLASS_NAME: Record<Class, string> = {
  gc: "GC work",
  vm: "VM operation",
  disk: "disk and files",
  cpu: "CPU",
  memory: "memory",
  late: "late to the safepoint",
  outside: "stopped from outside",
  unexplained: "unexplained",
};

export const CLASS_COLOUR: Record<Class, string> = {
  gc: "#0072b2",
  vm: "#56b4e9",
  disk: "#d55e00",
  cpu: "#e69f00",
  memory: "#cc79a7",
  late: "#009e73",
  outside: "#f0e442",
  unexplained: "#9a9a9a",
};

/** Black or white, whichever reads better on the class's colour. */
export const CLASS_INK: Record<Class, string> = {
  gc: "#fff",
  vm: "#000",
  disk: "#000",
  cpu: "#000",
  memory: "#000",
  late: "#000",
  outside: "#000",
  unexplained: "#000",
};

export type State = Span["state"];

export const STATES: State[] = ["cpu", "runnable", "throttled", "blocked", "idle", "stopped"];

export const STATE_NAME: Record<State, string> = {
  cpu: "on CPU",
  runnable: "runnable, no CPU",
  throttled: "throttled (CPU quota)",
  blocked: "blocked",
  idle: "idle, waiting for work",
  stopped: "stopped by the safepoint",
};

/** Blocked is dark; where the pause waited for it, the drawing takes the colour of its cause instead. */
export const STATE_COLOUR: Record<Exclude<State, "idle">, string> = {
  cpu: "#0072b2",
  runnable: "#e69f00",
  throttled: "#e69f00",
  blocked: "#6b6478",
  stopped: "#8f949e",
};

export type Pattern = "plain" | "dots" | "rise" | "fall" | "level" | "upright" | "cross" | "hatch";

export const CLASS_PATTERN: Record<Class, Pattern> = {
  gc: "plain",
  vm: "dots",
  disk: "rise",
  cpu: "level",
  memory: "fall",
  late: "upright",
  outside: "cross",
  unexplained: "hatch",
};

/** Strokes of one tile of 8 by 8, as SVG path data: one source for canvas, legend and SVG. */
export const PATTERN_PATH: Record<Pattern, string> = {
  plain: "",
  dots: "M1 2h2M5 6h2",
  rise: "M-1 3L3 -1M-1 9L9 -1M5 9L9 5",
  fall: "M-1 5L3 9M-1 -1L9 9M5 -1L9 3",
  level: "M0 2h8M0 6h8",
  upright: "M2 0v8M6 0v8",
  cross: "M0 0L8 8M8 0L0 8",
  hatch: "M-1 3L3 -1M-1 9L9 -1M5 9L9 5",
};

/** Patterns are quiet on colours and the whole of unexplained time. */
export const patternInk = (pattern: Pattern): string =>
  pattern === "hatch" ? CLASS_COLOUR.unexplained : pattern === "cross" ? "rgba(0,0,0,0.55)" : "rgba(255,255,255,0.22)";

export const patternWidth = (pattern: Pattern): number => (pattern === "hatch" ? 2.4 : 1.1);

/** A tile that repeats on a canvas; made anew for each resolution. */
const tiles = new Map<string, CanvasPattern | null>();

export function canvasPattern(ctx: CanvasRenderingContext2D, pattern: Pattern, ratio: number): CanvasPattern | null {
  const key = `${pattern} ${ratio}`;
  const known = tiles.get(key);
  if (known !== undefined) return known;
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(8 * ratio);
  const pen = tile.getContext("2d");
  if (!pen) return null;
  pen.scale(tile.width / 8, tile.height / 8);
  pen.strokeStyle = patternInk(pattern);
  pen.lineWidth = patternWidth(pattern);
  pen.stroke(new Path2D(PATTERN_PATH[pattern]));
  const made = ctx.createPattern(tile, "repeat");
  made?.setTransform(new DOMMatrix().scale(8 / tile.width, 8 / tile.height));
  tiles.set(key, made);
  return made;
}

/** Colours of the theme, read from the style sheet so that they are written once. */
export interface Ink {
  paper: string;
  text: string;
  muted: string;
  line: string;
  lane: string;
  limit: string;
  accent: string;
}

export function readInk(): Ink {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  return {
    paper: read("--panel"),
    text: read("--text"),
    muted: read("--muted"),
    line: read("--line"),
    lane: read("--lane"),
    limit: read("--limit"),
    accent: read("--accent"),
  };
}

/** The light theme, for pictures that leave the page. */
export const PRINT_INK: Ink = {
  paper: "#ffffff",
  text: "#16181d",
  muted: "#5b6472",
  line: "#e1e2de",
  lane: "#f1f1ee",
  limit: "#b3261e",
  accent: "#0b5cad",
};
