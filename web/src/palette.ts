// The colours of the classes of causes, of the kinds of collections and of the states of threads (Okabe–Ito,
// which colour-blind people can tell apart), with a pattern for each: the same on the time line, the lanes and
// in the tables.

import type { CauseInfo, Class, Collected, Span } from "./model";

/** In the order in which a bar is stacked; `unexplained` is always on top. */
export const CLASSES: Class[] = ["gc", "vm", "disk", "quota", "cpu", "steal", "memory", "late", "outside", "unexplained"];

export const CLASS_NAME: Record<Class, string> = {
  gc: "GC",
  vm: "VM operation",
  disk: "disk and files",
  quota: "CPU throttling",
  cpu: "CPU contention",
  steal: "CPU steal or host stopped",
  memory: "memory",
  late: "late to the safepoint",
  outside: "stopped from outside",
  unexplained: "unexplained",
};

export const CLASS_COLOUR: Record<Class, string> = {
  gc: "#0072b2",
  vm: "#56b4e9",
  disk: "#d55e00",
  // Three of one hue, for they are one subject: the light one, the usual one, the dark one.
  quota: "#ffce66",
  cpu: "#e69f00",
  steal: "#7d5200",
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
  quota: "#000",
  cpu: "#000",
  steal: "#fff",
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
  runnable: CLASS_COLOUR.cpu,
  throttled: CLASS_COLOUR.quota,
  blocked: "#6b6478",
  stopped: "#8f949e",
};

export type Pattern = "plain" | "dots" | "rise" | "fall" | "level" | "upright" | "cross" | "hatch" | "bars" | "grid";

export const CLASS_PATTERN: Record<Class, Pattern> = {
  gc: "plain",
  vm: "dots",
  disk: "rise",
  quota: "bars",
  cpu: "level",
  steal: "grid",
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
  bars: "M2 0v8M6 0v8",
  grid: "M0 4h8M4 0v8",
};

/** What the collector did, as the time line may be coloured by it; heaviest last. */
export const KINDS: Collected[] = ["-", "u", "c", "y", "m", "x", "d", "f"];

export const KIND_NAME: Record<Collected, string> = {
  "-": "no collection",
  u: "collection, kind unknown",
  c: "pause of a concurrent cycle",
  y: "young collection",
  m: "mixed collection",
  x: "evacuation or promotion failed",
  d: "degenerated collection",
  f: "full collection",
};

export const KIND_COLOUR: Record<Collected, string> = {
  "-": "#9a9a9a",
  u: "#c9b8d8",
  c: "#009e73",
  y: "#56b4e9",
  m: "#0072b2",
  x: "#e69f00",
  d: "#cc79a7",
  f: "#d55e00",
};

export const KIND_PATTERN: Record<Collected, Pattern> = { "-": "hatch", u: "dots", c: "level", y: "plain", m: "upright", x: "bars", d: "fall", f: "rise" };

/** Marks above the collections that a reader looks for, in whatever colours the bars are: closed shapes in a box
 * of 10 by 10, seen without colour. */
export const MARK_PATH: Partial<Record<Collected, string>> = {
  f: "M5 0L10 5L5 10L0 5Z",
  d: "M5 0L10 9H0Z",
  x: "M2 0L5 3L8 0L10 2L7 5L10 8L8 10L5 7L2 10L0 8L3 5L0 2Z",
};

/** What a bar of the time line may be coloured by. */
export type Group = Class | Collected;

const isKind = (group: Group): group is Collected => group in KIND_NAME;

/** What a class is called beside its causes: where it has one alone, as that is. */
export function className(kind: Class, causes: Iterable<CauseInfo>): string {
  const shorts = new Set(Array.from(causes, (it) => (it.class === kind ? it.short : "")).filter(Boolean));
  return shorts.size === 1 ? [...shorts][0]! : CLASS_NAME[kind];
}

export const groupName = (it: Group, causes: Iterable<CauseInfo>): string => (isKind(it) ? KIND_NAME[it] : className(it, causes));
export const groupColour = (it: Group): string => (isKind(it) ? KIND_COLOUR[it] : CLASS_COLOUR[it]);
export const groupPattern = (it: Group): Pattern => (isKind(it) ? KIND_PATTERN[it] : CLASS_PATTERN[it]);
/** Hatched without a ground. */
export const isOpenGroup = (it: Group): boolean => groupPattern(it) === "hatch";

/** Patterns are quiet on colours and the whole of unexplained time. */
export function patternInk(pattern: Pattern): string {
  if (pattern === "hatch") return CLASS_COLOUR.unexplained;
  // Where the colour does not tell it from its neighbours, the pattern has to.
  if (pattern === "cross") return "rgba(0,0,0,0.55)";
  if (pattern === "bars") return "rgba(0,0,0,0.32)";
  return pattern === "grid" ? "rgba(255,255,255,0.6)" : "rgba(255,255,255,0.22)";
}

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
