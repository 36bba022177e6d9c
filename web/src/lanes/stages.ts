// A stop as its GC log has it: its causes, its stages to scale, and each collection's steps, to the scale of
// the collection, since 10 ms of steps in 2 s of stop would be a line.

import { axisLength, duration } from "../format";
import type { CauseInfo, Opened, Stage } from "../model";
import { CLASS_COLOUR, CLASS_INK, CLASS_PATTERN, type Ink } from "../palette";
import { roundUp } from "../time/plane";
import { type Shape, fillOf } from "./shapes";

const BAR = 24;
const LABEL = 18;
const AXIS = 18;
const GAP = 8;
/** More collections in one stop are in the table alone. */
const MOST_COLLECTIONS = 4;

interface Placed {
  stage: Stage;
  startUs: number;
}

function placed(stages: Stage[]): Placed[] {
  let startUs = 0;
  return stages.map((stage) => {
    const it = { stage, startUs };
    startUs += stage.length_us;
    return it;
  });
}

const divided = (stages: Stage[]): Placed[] => placed(stages).filter((it) => it.stage.steps.length > 0).slice(0, MOST_COLLECTIONS);

/** A stop that is nothing but its collection needs no row of its own. */
const hasStop = (stages: Stage[]): boolean => stages.length > 1;

export function stagesHeight({ stages }: Opened): number {
  const rows = 1 + (hasStop(stages) ? 1 : 0);
  return rows * (LABEL + BAR) + AXIS + (rows - 1) * GAP + divided(stages).length * (GAP + LABEL + BAR + AXIS);
}

/** `user 20 ms, sys 0 s, real 10 ms`. */
export const cpuText = (cpu: Stage["cpu_us"]): string => (cpu ? `user ${duration(cpu[0])}, sys ${duration(cpu[1])}, real ${duration(cpu[2])}` : "");

export function stageText(stage: Stage): string {
  return [stage.name, stage.detail, duration(stage.length_us), cpuText(stage.cpu_us)].filter(Boolean).join(" · ");
}

interface Piece {
  startUs: number;
  us: number;
  text: string;
  fill: string;
  ink: string;
  stroke?: string;
  pattern?: (typeof CLASS_PATTERN)["gc"];
  halo?: string;
}

export function stageShapes(opened: Opened, causes: CauseInfo[], lengthUs: number, left: number, top: number, width: number, ink: Ink): Shape[] {
  const whole = lengthUs || 1;
  const xOf = (us: number): number => left + (us / whole) * width;
  const shapes: Shape[] = [];
  let y = top;
  const row = (label: string, pieces: Piece[], of: number): void => {
    shapes.push({ is: "text", x: left, y: y + 12, text: label, fill: ink.text, anchor: "start", room: width, halo: ink.paper });
    y += LABEL;
    shapes.push({ is: "rect", x: left, y, width, height: BAR, fill: ink.lane });
    for (const piece of pieces) shapes.push(...pieceShapes(piece, left, y, width, of));
    y += BAR;
  };
  row("causes", opened.segments.map((it) => causePiece(it, causes, ink)), whole);
  let foot = y;
  if (hasStop(opened.stages)) {
    y += GAP;
    row("stop, from the GC log", placed(opened.stages).map((it) => stagePiece(it, ink)), whole);
    foot = y;
  }
  shapes.push(...axisShapes(whole, left, y, width, ink));
  y += AXIS;
  for (const { stage, startUs } of divided(opened.stages)) {
    y += GAP;
    if (hasStop(opened.stages)) {
      // From the collection in the stop to its steps, which have the whole width.
      const ends: [number, number][] = [[xOf(startUs), left + 0.5], [xOf(startUs + stage.length_us), left + width - 0.5]];
      for (const [from, to] of ends) shapes.push({ is: "line", x0: from, y0: foot, x1: to, y1: y + LABEL, stroke: ink.muted, dash: true });
    }
    row(stageText(stage), stepPieces(stage, ink), stage.length_us || 1);
    shapes.push(...axisShapes(stage.length_us, left, y, width, ink));
    y += AXIS;
  }
  return shapes;
}

function pieceShapes(piece: Piece, left: number, y: number, width: number, of: number): Shape[] {
  const x = left + (piece.startUs / of) * width;
  const wide = Math.max(1, (piece.us / of) * width);
  const isWide = wide > 6;
  const shapes: Shape[] = [{ is: "rect", x, y, width: wide, height: BAR, fill: piece.fill, pattern: isWide ? piece.pattern : undefined, stroke: wide > 3 ? piece.stroke : undefined }];
  if (wide > 46) shapes.push({ is: "text", x: x + wide / 2, y: y + 16, text: piece.text, fill: piece.ink, halo: piece.halo, anchor: "middle", room: wide - 10 });
  return shapes;
}

function causePiece(it: Opened["segments"][number], causes: CauseInfo[], ink: Ink): Piece {
  const cause = it.cause === null ? undefined : causes[it.cause];
  const kind = cause?.class ?? "unexplained";
  const isOpen = kind === "unexplained";
  const text = `${cause?.title ?? "unexplained"} · ${duration(it.length_us)}`;
  return { startUs: it.start_us, us: it.length_us, text, fill: fillOf(kind), ink: isOpen ? ink.text : CLASS_INK[kind], pattern: CLASS_PATTERN[kind], stroke: isOpen ? ink.muted : undefined, halo: isOpen ? ink.paper : undefined };
}

/** What is no collection has no colour: the log does not say what it was, the row of causes does. */
function stagePiece({ stage, startUs }: Placed, ink: Ink): Piece {
  const text = [stage.name, stage.detail, duration(stage.length_us)].filter(Boolean).join(" · ");
  const piece = { startUs, us: stage.length_us, text };
  if (stage.kind !== "collection") return { ...piece, fill: ink.lane, ink: ink.text, stroke: ink.muted };
  return { ...piece, fill: CLASS_COLOUR.gc, ink: CLASS_INK.gc };
}

function stepPieces(stage: Stage, ink: Ink): Piece[] {
  let startUs = 0;
  return stage.steps.map(([name, us]) => {
    // With a seam between two, which have the same colour.
    const piece = { startUs, us, text: `${name} · ${duration(us)}`, fill: CLASS_COLOUR.gc, ink: CLASS_INK.gc, stroke: ink.paper };
    startUs += us;
    return piece;
  });
}

function axisShapes(lengthUs: number, left: number, top: number, width: number, ink: Ink): Shape[] {
  const step = roundUp(lengthUs / Math.max(2, Math.floor(width / 110)));
  const shapes: Shape[] = [];
  for (let us = 0; us <= lengthUs; us += step) {
    const x = left + (us / (lengthUs || 1)) * width;
    const anchor = x - left < 12 ? "start" : left + width - x < 24 ? "end" : "middle";
    shapes.push({ is: "line", x0: x, y0: top, x1: x, y1: top + 4, stroke: ink.muted });
    shapes.push({ is: "text", x, y: top + 15, text: axisLength(us), fill: ink.muted, anchor });
  }
  return shapes;
}
