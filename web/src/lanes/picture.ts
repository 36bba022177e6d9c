// The picture of an opened pause: the account (for whom everybody waited, end to end) and beneath it a lane
// for each thread by its states, with arrows from who woke to who was woken.

import { axisLength, baseName, duration } from "../format";
import type { CauseInfo, Class, Opened, Span, Wait } from "../model";
import { CLASS_INK, CLASS_PATTERN, type Ink, STATE_COLOUR, STATE_NAME } from "../palette";
import { roundUp } from "../time/plane";
import { type Shape, fillOf } from "./shapes";

export const ROW = 28;
const BAR = 20;
export const HEAD = 20;
export const FOOT = 20;
/** What the text of a mark above the lanes takes, at most. */
const MARK_WIDTH = 180;
/** More arrows at once would hide the lanes. */
const MOST_ARROWS = 60;

/** What lanes show: a pause, or threads that stood while the JVM ran, all of them for one cause. */
export interface Shown extends Opened {
  /** Of threads that stood: for which cause; null where none explains it. */
  stalledFor?: number | null;
}

export interface Slice {
  lane: number;
  span: number;
}

export interface Frame {
  left: number;
  width: number;
  fromUs: number;
  toUs: number;
}

export const frameX = (frame: Frame, us: number): number =>
  frame.left + ((us - frame.fromUs) / (frame.toUs - frame.fromUs)) * frame.width;

export const frameUs = (frame: Frame, x: number): number =>
  frame.fromUs + ((x - frame.left) / frame.width) * (frame.toUs - frame.fromUs);

/** What the row above the lanes is called. */
export const accountName = (opened: Shown): string => (opened.stalledFor === undefined ? "critical path" : "all threads");

export const pictureHeight = (lanes: number): number => HEAD + (lanes + 1) * ROW + FOOT;

const laneTop = (lane: number): number => HEAD + (lane + 1) * ROW;

interface Stretch {
  start_us: number;
  length_us: number;
}

/** How long two stretches of time are at once; not above 0 where they are not. */
export function sharedUs(a: Stretch, b: Stretch): number {
  return Math.min(a.start_us + a.length_us, b.start_us + b.length_us) - Math.max(a.start_us, b.start_us);
}

/** The class of the cause that the pause waited for in each blocked slice, where it waited for it. */
export function blockedClasses(opened: Shown, causes: CauseInfo[]): Map<Span, Class> {
  const classes = new Map<Span, Class>();
  const stalledFor = causes[opened.stalledFor ?? -1];
  if (stalledFor) for (const span of opened.lanes.flatMap((it) => it.spans)) classes.set(span, stalledFor.class);
  for (const segment of opened.segments) {
    const cause = segment.cause === null ? undefined : causes[segment.cause];
    const lane = segment.lane === null ? undefined : opened.lanes[segment.lane];
    if (!cause || !lane) continue;
    for (const span of lane.spans) {
      if (span.state === "blocked" && sharedUs(segment, span) > span.length_us / 2) classes.set(span, cause.class);
    }
  }
  return classes;
}

/** `write(fd 5) · gc.log · ext4 · 1.61 s`: what fits into a bar of a wait. */
export function waitLabel(span: Span, wait: Wait | undefined): string {
  if (wait?.thread) return `waited for ${wait.thread} · ${duration(span.length_us)}`;
  const state = STATE_NAME[span.state];
  if (!wait) return `${state} ${duration(span.length_us)}`;
  const what = [wait.call && `in ${wait.call}`].filter(Boolean).join("");
  const where = [baseName(wait.file), wait.file_system, wait.cpu_holder && `CPU used by ${wait.cpu_holder}`];
  return [`${state} ${what}`.trim(), ...where, duration(span.length_us)].filter(Boolean).join(" · ");
}

export interface Options {
  causes: CauseInfo[];
  classes: Map<Span, Class>;
  ink: Ink;
  selected: Slice | null;
  lengthUs: number;
  /** Whether all arrows are drawn, or only that of the selected slice. */
  hasArrows: boolean;
}

export function pictureShapes(opened: Shown, frame: Frame, options: Options): Shape[] {
  return [
    ...markShapes(opened, frame, options),
    ...accountShapes(opened, frame, options),
    ...opened.lanes.flatMap((_, lane) => laneShapes(opened, lane, frame, options)),
    ...arrowShapes(opened, frame, options),
    ...selectedShapes(opened, frame, options),
    ...axisShapes(frame, laneTop(opened.lanes.length), options.ink),
  ];
}

interface Cut {
  x: number;
  width: number;
}

/** A stretch of time as far as it is in the frame, at least one pixel wide. */
function cut(frame: Frame, startUs: number, lengthUs: number): Cut | null {
  const endUs = startUs + lengthUs;
  if (endUs < frame.fromUs || startUs > frame.toUs) return null;
  const x = frameX(frame, Math.max(startUs, frame.fromUs));
  return { x, width: Math.max(1, frameX(frame, Math.min(endUs, frame.toUs)) - x) };
}

function markShapes(opened: Shown, frame: Frame, { ink, lengthUs }: Options): Shape[] {
  const shapes: Shape[] = [];
  const foot = laneTop(opened.lanes.length) - 4;
  const marks: [number, string][] = [
    [opened.reached_us, `all threads stopped after ${duration(opened.reached_us)}`],
    [lengthUs, `${opened.stalledFor === undefined ? "resumed" : "over"} after ${duration(lengthUs)}`],
  ];
  let before: { x: number; text: string } | null = null;
  for (const [us, text] of marks) {
    if (us < frame.fromUs || us > frame.toUs || us <= 0) continue;
    const x = Math.min(frameX(frame, us), frame.left + frame.width - 1);
    const isRight = x > frame.left + frame.width / 2;
    shapes.push({ is: "line", x0: x, y0: 2, x1: x, y1: foot, stroke: ink.muted, dash: true });
    // Two that are near to each other at the right would lie on one another: they share a line.
    const shares = isRight && before !== null && before.x > x - MARK_WIDTH && before.x > frame.left + frame.width / 2;
    if (shares) shapes.splice(shapes.findIndex((it) => it.is === "text"), 1);
    const said = shares ? `${before!.text} · ${text}` : text;
    const room = shares ? frame.width - 8 : frame.width / 2 - 8;
    shapes.push({ is: "text", x: x + (isRight ? -5 : 5), y: 12, text: said, fill: ink.muted, anchor: isRight ? "end" : "start", room });
    before = { x, text };
  }
  return shapes;
}

function accountShapes(opened: Opened, frame: Frame, { causes, ink }: Options): Shape[] {
  const shapes: Shape[] = [{ is: "rect", x: frame.left, y: HEAD, width: frame.width, height: BAR, fill: ink.lane }];
  let [drawnTo, drawnUs] = [-1, 0];
  for (const segment of opened.segments) {
    const place = cut(frame, segment.start_us, segment.length_us);
    if (!place) continue;
    // Of several within one pixel the longest is shown.
    if (place.width === 1 && Math.floor(place.x) === drawnTo && segment.length_us < drawnUs) continue;
    [drawnTo, drawnUs] = [Math.floor(place.x), segment.length_us];
    const cause = segment.cause === null ? undefined : causes[segment.cause];
    const kind = cause?.class ?? "unexplained";
    shapes.push({ is: "rect", ...place, y: HEAD, height: BAR, fill: fillOf(kind), pattern: place.width > 6 ? CLASS_PATTERN[kind] : undefined, stroke: kind === "unexplained" && place.width > 3 ? ink.muted : undefined });
    if (place.width < 40) continue;
    const text = `${cause?.title ?? "unexplained"} · ${duration(segment.length_us)}`;
    shapes.push(...labelShapes(place, HEAD, text, kind, ink));
  }
  return shapes;
}

function labelShapes(place: Cut, top: number, text: string, kind: Class | "dark", ink: Ink): Shape[] {
  const fill = kind === "dark" ? "#fff" : kind === "unexplained" ? ink.text : CLASS_INK[kind];
  const halo = kind === "unexplained" ? ink.paper : undefined;
  return [{ is: "text", x: place.x + place.width / 2, y: top + 14, text, fill, halo, anchor: "middle", room: place.width - 10 }];
}

function laneShapes(opened: Opened, index: number, frame: Frame, { classes, ink }: Options): Shape[] {
  const top = laneTop(index);
  const shapes: Shape[] = [{ is: "rect", x: frame.left, y: top, width: frame.width, height: BAR, fill: ink.lane }];
  let [drawnTo, drawnUs] = [-1, 0];
  for (const span of opened.lanes[index]!.spans) {
    const place = cut(frame, span.start_us, span.length_us);
    if (!place) continue;
    if (place.width === 1 && Math.floor(place.x) === drawnTo && span.length_us < drawnUs) continue;
    [drawnTo, drawnUs] = [Math.floor(place.x), span.length_us];
    shapes.push(...spanShapes(opened, span, place, top, classes.get(span), ink));
  }
  return shapes;
}

function spanShapes(opened: Opened, span: Span, place: Cut, top: number, kind: Class | undefined, ink: Ink): Shape[] {
  if (span.state === "idle") {
    return place.width > 3 ? [{ is: "rect", ...place, y: top, height: BAR, fill: ink.paper, stroke: ink.line }] : [];
  }
  const fill = span.state === "blocked" && kind ? fillOf(kind) : STATE_COLOUR[span.state];
  const isWide = place.width > 6;
  const pattern = span.state === "throttled" ? "bars" : span.state === "blocked" && kind ? CLASS_PATTERN[kind] : undefined;
  // Runnable is light: lower than a slice on a CPU, so that it differs without colour, too.
  const [y, height] = span.state === "runnable" ? [top + 5, BAR - 10] : span.state === "stopped" ? [top + 8, BAR - 16] : [top, BAR];
  const shapes: Shape[] = [{ is: "rect", ...place, y, height, fill, pattern: isWide ? pattern : undefined }];
  if (place.width < 70 || height < BAR) return shapes;
  const wait = span.wait === null ? undefined : opened.waits[span.wait];
  const under = span.state === "cpu" ? "gc" : span.state === "blocked" ? (kind ?? "dark") : "cpu";
  return [...shapes, ...labelShapes(place, top, waitLabel(span, wait), under, ink)];
}

function arrowShapes(opened: Opened, frame: Frame, { ink, selected, hasArrows }: Options): Shape[] {
  const arrows: { from: number; to: number; x: number; isSelected: boolean }[] = [];
  opened.lanes.forEach((lane, to) => {
    lane.spans.forEach((span, index) => {
      const end = span.start_us + span.length_us;
      // Who woke it may be a thread that is not shown.
      if (span.woken_by === null || span.woken_by === to || span.woken_by >= opened.lanes.length || end < frame.fromUs || end > frame.toUs) return;
      const isSelected = selected?.lane === to && selected.span === index;
      arrows.push({ from: span.woken_by, to, x: frameX(frame, end), isSelected });
    });
  });
  return arrows
    .filter((it) => it.isSelected || (hasArrows && arrows.length <= MOST_ARROWS))
    .flatMap(({ from, to, x, isSelected }) => arrowShape(from, to, x, isSelected ? ink.accent : ink.text, isSelected ? 2 : 1));
}

function arrowShape(from: number, to: number, x: number, stroke: string, thick: number): Shape[] {
  const isUp = from > to;
  const start = isUp ? laneTop(from) : laneTop(from) + BAR;
  const end = isUp ? laneTop(to) + BAR : laneTop(to);
  return [
    { is: "line", x0: x, y0: start, x1: x, y1: end, stroke, thick },
    { is: "head", x, y: end, isUp, fill: stroke },
  ];
}

function selectedShapes(opened: Opened, frame: Frame, { selected, ink }: Options): Shape[] {
  const span = selected && opened.lanes[selected.lane]?.spans[selected.span];
  const place = span && cut(frame, span.start_us, span.length_us);
  if (!selected || !place) return [];
  const top = laneTop(selected.lane);
  const wide = { x: place.x - 1.5, width: place.width + 3 };
  return [{ is: "rect", ...wide, y: top - 2, height: BAR + 4, fill: "none", stroke: ink.text }];
}

function axisShapes(frame: Frame, top: number, ink: Ink): Shape[] {
  const step = roundUp((frame.toUs - frame.fromUs) / Math.max(2, Math.floor(frame.width / 110)));
  const shapes: Shape[] = [];
  for (let us = Math.ceil(frame.fromUs / step) * step; us <= frame.toUs; us += step) {
    const x = frameX(frame, us);
    const anchor = x - frame.left < 12 ? "start" : frame.left + frame.width - x < 24 ? "end" : "middle";
    shapes.push({ is: "line", x0: x, y0: HEAD - 3, x1: x, y1: HEAD, stroke: ink.line });
    shapes.push({ is: "line", x0: x, y0: top - 6, x1: x, y1: top - 2, stroke: ink.line });
    shapes.push({ is: "text", x, y: top + 10, text: axisLength(us), fill: ink.muted, anchor });
  }
  return shapes;
}

/** The slice at a place, or the nearest one within a few pixels of its lane. */
export function sliceAt(opened: Opened, frame: Frame, x: number, y: number): Slice | null {
  const lane = Math.floor((y - laneTop(0) + 4) / ROW);
  const spans = opened.lanes[lane]?.spans;
  if (!spans) return null;
  const us = frameUs(frame, x);
  const slack = (4 / frame.width) * (frame.toUs - frame.fromUs);
  let [best, bestDistance] = [-1, slack];
  spans.forEach((span, index) => {
    const distance = Math.max(0, span.start_us - us, us - span.start_us - span.length_us);
    if (distance < bestDistance || (distance === 0 && best < 0)) [best, bestDistance] = [index, distance];
  });
  return best < 0 ? null : { lane, span: best };
}
