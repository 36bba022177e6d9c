// Draws the time line: grid, limit, each pause as a bar whose height is its length, and marks above the pauses
// that a reader looks for.

import type { Clock, Zone } from "../clock";
import { ticks } from "../clock";
import { FONT } from "../canvas";
import { duration } from "../format";
import { CLASSES, type Group, type Ink, MARK_PATH, canvasPattern, groupColour, groupPattern, isOpenGroup } from "../palette";
import { type Store, classTimes, collectedOf, isHiccup, largestClass } from "../store";
import type { Bar } from "./bars";
import { type Plane, heightOf, lengthMarks, xOf } from "./plane";

/** Radius of the ring above a hiccup. */
const RING = 3;
/** A hiccup is an outline with little inside. */
const HOLLOW = 0.28;

/** From this size on a pattern can be made out. */
const PATTERN_FROM = 6;

const times = new Float64Array(CLASSES.length);

export interface Colouring {
  by: "cause" | "kind";
  /** What stands out while the others are dimmed. */
  only: Group | null;
}

/** On a linear axis a bar is divided among its causes. On a logarithmic one the eye would take a decade for an
 * amount, so the whole bar has one colour: that of the class that has most of its time. */
export function drawBars(ctx: CanvasRenderingContext2D, store: Store, plane: Plane, bars: Bar[], colouring: Colouring): void {
  const foot = plane.top + plane.height;
  for (const bar of bars) {
    const height = heightOf(plane, store.lengthUs[bar.pause]!);
    const group = groupOf(store, plane, bar.pause, colouring);
    if (group === null) drawStack(ctx, store, bar, foot, height, colouring.only);
    else drawPart(ctx, store, bar, group, foot - height, height, colouring.only);
  }
  ctx.globalAlpha = 1;
}

/** What all of a bar is coloured by; null where it is divided. */
export function groupOf(store: Store, plane: Plane, pause: number, { by }: Colouring): Group | null {
  if (by === "kind") return collectedOf(store, pause);
  return plane.isLog ? largestClass(store, pause) : null;
}

/** Rings above the hiccups, which are no stops of the JVM: seen without colour, and on the thinnest bar. */
export function drawHiccups(ctx: CanvasRenderingContext2D, store: Store, plane: Plane, bars: Bar[], ink: Ink): void {
  if (store.hiccupsBefore[store.count] === 0) return;
  const foot = plane.top + plane.height;
  let last = -Infinity;
  ctx.lineWidth = 1.4;
  ctx.strokeStyle = ink.text;
  ctx.fillStyle = ink.paper;
  for (const bar of bars) {
    const x = bar.x + bar.width / 2;
    // More than one for each few pixels would be a smear.
    if (!isHiccup(store, bar.pause) || x - last < RING * 2) continue;
    last = x;
    ctx.beginPath();
    ctx.arc(x, foot - heightOf(plane, store.lengthUs[bar.pause]!) - RING - 1, RING, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }
  ctx.lineWidth = 1;
}

/** Half the size of a mark above a collection. */
const MARK = 4.5;
/** Marks of one kind are at least so far apart. */
const MARKS_APART = 7;

/** Marks above full, degenerated and failed collections, also where a longer pause hides the bar. */
export function drawMarks(ctx: CanvasRenderingContext2D, store: Store, plane: Plane, pauses: Iterable<number>, ink: Ink): void {
  const foot = plane.top + plane.height;
  const last: Record<string, number> = {};
  ctx.fillStyle = ink.text;
  ctx.strokeStyle = ink.paper;
  ctx.lineWidth = 2;
  for (const pause of pauses) {
    const kind = collectedOf(store, pause);
    const shape = markShape(kind);
    const start = xOf(plane, store.startUs[pause]!);
    const x = Math.max(plane.left + MARK, start + (xOf(plane, store.startUs[pause]! + store.lengthUs[pause]!) - start) / 2);
    if (!shape || x - (last[kind] ?? -Infinity) < MARKS_APART) continue;
    last[kind] = x;
    const y = Math.max(MARK + 1, foot - heightOf(plane, store.lengthUs[pause]!) - MARK - 2);
    ctx.save();
    ctx.translate(x - MARK, y - MARK);
    ctx.scale(MARK / 5, MARK / 5);
    ctx.stroke(shape);
    ctx.fill(shape);
    ctx.restore();
  }
  ctx.lineWidth = 1;
}

const shapes = new Map<string, Path2D>();

function markShape(kind: keyof typeof MARK_PATH): Path2D | null {
  const path = MARK_PATH[kind];
  if (!path) return null;
  const known = shapes.get(kind) ?? new Path2D(path);
  shapes.set(kind, known);
  return known;
}

function drawStack(ctx: CanvasRenderingContext2D, store: Store, bar: Bar, foot: number, height: number, only: Group | null): void {
  classTimes(store, bar.pause, times);
  const length = store.lengthUs[bar.pause]! || 1;
  let y = foot;
  for (let i = 0; i < CLASSES.length; i++) {
    const us = times[i]!;
    const part = (us / length) * height;
    // What is less than a quarter of a pixel, or rounding of microseconds, has no place in the picture.
    if (part < 0.25 || (i === CLASSES.length - 1 && us < 8 && us < length / 50)) continue;
    y -= part;
    drawPart(ctx, store, bar, CLASSES[i]!, y, part, only);
  }
}

/** A hiccup is hollow. */
function drawPart(ctx: CanvasRenderingContext2D, store: Store, bar: Bar, group: Group, y: number, height: number, only: Group | null): void {
  if (isHiccup(store, bar.pause)) outlinePart(ctx, group, bar.x, y, bar.width, height, only);
  else fillPart(ctx, group, bar.x, y, bar.width, height, only);
}

function fillPart(
  ctx: CanvasRenderingContext2D,
  kind: Group,
  x: number,
  y: number,
  width: number,
  height: number,
  only: Group | null,
): void {
  ctx.globalAlpha = only === null || only === kind ? 1 : 0.14;
  const isLarge = width >= PATTERN_FROM && height >= PATTERN_FROM;
  if (!isOpenGroup(kind) || !isLarge) {
    ctx.fillStyle = groupColour(kind);
    ctx.fillRect(x, y, width, height);
  }
  const pattern = isLarge && groupPattern(kind) !== "plain" ? canvasPattern(ctx, groupPattern(kind), devicePixelRatio) : null;
  if (!pattern) return;
  ctx.fillStyle = pattern;
  ctx.fillRect(x, y, width, height);
}

/** A part of a hiccup: its colour as an outline, where there is room for one. */
function outlinePart(ctx: CanvasRenderingContext2D, kind: Group, x: number, y: number, width: number, height: number, only: Group | null): void {
  const shown = only === null || only === kind ? 1 : 0.14;
  ctx.fillStyle = groupColour(kind);
  ctx.globalAlpha = shown * (width < 4 ? 0.6 : HOLLOW);
  ctx.fillRect(x, y, width, height);
  if (width < 4 || height < 3) return;
  ctx.globalAlpha = shown;
  ctx.strokeStyle = groupColour(kind);
  ctx.lineWidth = 1.5;
  ctx.strokeRect(x + 0.75, y + 0.75, width - 1.5, height - 1.5);
  ctx.lineWidth = 1;
}

export function drawGrid(ctx: CanvasRenderingContext2D, plane: Plane, ink: Ink): void {
  ctx.font = FONT;
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const mark of lengthMarks(plane)) {
    const y = Math.round(plane.top + plane.height - heightOf(plane, mark.us)) + 0.5;
    line(ctx, ink.line, plane.left, y, plane.left + plane.width, y);
    ctx.fillStyle = ink.muted;
    ctx.fillText(mark.label, plane.left - 6, y);
  }
  const foot = Math.round(plane.top + plane.height) + 0.5;
  line(ctx, ink.line, plane.left, foot, plane.left + plane.width, foot);
}

/** Where there is no pause at all, as in a recording of stalls alone. */
export function drawNothing(ctx: CanvasRenderingContext2D, plane: Plane, ink: Ink): void {
  const foot = Math.round(plane.top + plane.height) + 0.5;
  line(ctx, ink.line, plane.left, foot, plane.left + plane.width, foot);
  ctx.font = FONT;
  ctx.fillStyle = ink.muted;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  ctx.fillText("no pause in this time", plane.left, foot - 4);
}

export function drawTimes(ctx: CanvasRenderingContext2D, plane: Plane, ink: Ink, zone: Zone, clock: Clock): void {
  ctx.font = FONT;
  ctx.fillStyle = ink.muted;
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  const y = plane.top + plane.height + 7;
  for (const tick of ticks(plane.fromUs, plane.toUs, Math.max(2, Math.floor(plane.width / 110)), zone, clock)) {
    const x = xOf(plane, tick.us);
    line(ctx, ink.line, x, y - 6, x, y - 3);
    const half = ctx.measureText(tick.label).width / 2;
    ctx.fillText(tick.label, Math.min(Math.max(x, half), plane.left + plane.width + 8 - half), y);
  }
}

/** Its length stands beside the picture, where no bar is. */
export function drawLimit(ctx: CanvasRenderingContext2D, store: Store, plane: Plane, ink: Ink): void {
  if (store.limitUs <= 0 || store.limitUs > plane.highUs || (plane.isLog && store.limitUs < plane.lowUs)) return;
  const y = Math.round(plane.top + plane.height - heightOf(plane, store.limitUs)) + 0.5;
  ctx.setLineDash([4, 4]);
  line(ctx, ink.limit, plane.left, y, plane.left + plane.width, y);
  ctx.setLineDash([]);
  ctx.font = FONT;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  // In place of a mark of the axis that would be behind it.
  ctx.fillStyle = ink.paper;
  ctx.fillRect(0, y - 8, plane.left - 1, 16);
  ctx.fillStyle = ink.limit;
  ctx.fillText(duration(store.limitUs), plane.left - 6, y);
}

/** The frame around a bar, and a mark above it that is seen even where the bar is one pixel wide. */
export function drawFrame(ctx: CanvasRenderingContext2D, plane: Plane, bar: Bar, height: number, colour: string, hasRing: boolean): void {
  const foot = plane.top + plane.height;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.strokeRect(bar.x - 0.75, foot - height - 0.75, bar.width + 1.5, height + 1.5);
  ctx.lineWidth = 1;
  const x = bar.x + bar.width / 2;
  const y = foot - height - (hasRing ? 2 * RING + 5 : 4);
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x - 4, y - 6);
  ctx.lineTo(x + 4, y - 6);
  ctx.fill();
}

export function line(ctx: CanvasRenderingContext2D, colour: string, x0: number, y0: number, x1: number, y1: number): void {
  ctx.strokeStyle = colour;
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

/** The range that a drag selects. */
export function drawBrush(ctx: CanvasRenderingContext2D, plane: Plane, colour: string, [a, b]: [number, number]): void {
  const [x0, x1] = [Math.max(plane.left, Math.min(a, b)), Math.min(plane.left + plane.width, Math.max(a, b))];
  ctx.globalAlpha = 0.18;
  ctx.fillStyle = colour;
  ctx.fillRect(x0, 0, x1 - x0, plane.top + plane.height);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colour;
  ctx.strokeRect(x0 + 0.5, 0.5, x1 - x0 - 1, plane.top + plane.height - 1);
}
