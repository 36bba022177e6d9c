// The picture of a pause as a file: SVG, or the same shapes painted as PNG, with title, time and legend, in
// the colours of the light theme.

import type { App } from "../app";
import { fullTime } from "../clock";
import { CLASS_PATTERN, className, PRINT_INK, STATE_COLOUR, STATE_NAME } from "../palette";
import type { CauseInfo, Class } from "../model";
import { type Part, jvmName, lengthText, operationName, partsOf } from "../store";
import type { Range } from "./dense";
import { HEAD, ROW, type Shown, accountName, blockedClasses, pictureHeight, pictureShapes } from "./picture";
import { PARTS_HEIGHT, partShapes } from "./parts";
import { stageShapes, stagesHeight } from "./stages";
import { type Shape, fillOf, paintShapes, shapesToSvg } from "./shapes";

const WIDTH = 1200;
const MARGIN = 20;
const NAMES = 170;
const TITLE = 54;
const LEGEND = 42;
/** Pixels for each unit of the picture. */
const SCALE = 2;

interface Picture {
  shapes: Shape[];
  height: number;
  title: string;
}

/** What is to be saved. */
export interface Subject {
  title: string;
  startUs: number;
  lengthUs: number;
  opened: Shown | undefined;
  /** Where there are no lanes. */
  parts: Part[];
  fileName: string;
}

export function pauseSubject(app: App, pause: number): Subject {
  const { store, page } = app;
  const title = `${jvmName(store, pause) || page.answer.title}: ${lengthText(store, pause)} ${operationName(store, pause)}`;
  return { title, startUs: store.startUs[pause]!, lengthUs: store.lengthUs[pause]!, opened: app.opened.get(pause), parts: partsOf(store, pause), fileName: `whypause-pause-${pause + 1}` };
}

/** `ranges`: what the panes show, one beneath the other; none for a pause without lanes. */
function picture(app: App, { title, startUs, lengthUs, opened, parts }: Subject, ranges: Range[]): Picture {
  const { page, clock, view } = app;
  const ink = PRINT_INK;
  const shapes: Shape[] = [
    { is: "text", x: MARGIN, y: 26, text: title, fill: ink.text, anchor: "start", bold: true, size: 15, room: WIDTH - 2 * MARGIN },
    { is: "text", x: MARGIN, y: 44, text: fullTime(startUs, view.value.zone, clock), fill: ink.muted, anchor: "start" },
    { is: "text", x: WIDTH - MARGIN, y: 44, text: `whypause ${page.version}`, fill: ink.muted, anchor: "end" },
  ];
  let top = TITLE;
  const classes = new Set<Class>();
  const classOf = (cause: number | null): Class => (cause === null ? "unexplained" : (page.causes[cause]?.class ?? "unexplained"));
  if (opened && ranges.length > 0) {
    const blocked = blockedClasses(opened, page.causes);
    for (const [index, [fromUs, toUs]] of ranges.entries()) {
      const frame = { left: MARGIN + NAMES, width: WIDTH - 2 * MARGIN - NAMES, fromUs, toUs };
      const options = { causes: page.causes, classes: blocked, ink, selected: null, lengthUs, hasArrows: index === ranges.length - 1 };
      shapes.push(...pictureShapes(opened, frame, options).map((it) => lowered(it, top)));
      const names = [accountName(opened), ...opened.lanes.map((it) => it.name)];
      shapes.push(...names.map((text, i): Shape => ({ is: "text", x: MARGIN, y: top + HEAD + i * ROW + 14, text, fill: ink.text, anchor: "start", room: NAMES - 12 })));
      top += pictureHeight(opened.lanes.length) + 8;
    }
    for (const segment of opened.segments) classes.add(classOf(segment.cause));
  } else if (opened && opened.stages.length > 0) {
    shapes.push(...stageShapes(opened, page.causes, lengthUs, MARGIN, top, WIDTH - 2 * MARGIN, ink));
    for (const segment of opened.segments) classes.add(classOf(segment.cause));
    top += stagesHeight(opened);
  } else {
    shapes.push(...partShapes(parts, page.causes, MARGIN, top, WIDTH - 2 * MARGIN, ink));
    for (const part of parts) classes.add(classOf(part.cause));
    top += PARTS_HEIGHT + 12;
  }
  shapes.push(...legendShapes([...classes], page.causes, ranges.length > 0 && opened?.stalledFor === undefined, top));
  const height = top + LEGEND;
  shapes.unshift({ is: "rect", x: 0, y: 0, width: WIDTH, height, fill: ink.paper });
  return { shapes, height, title };
}

function lowered(shape: Shape, by: number): Shape {
  return shape.is === "line" ? { ...shape, y0: shape.y0 + by, y1: shape.y1 + by } : { ...shape, y: shape.y + by };
}

function legendShapes(classes: Class[], causes: CauseInfo[], hasStates: boolean, top: number): Shape[] {
  const shapes: Shape[] = [];
  let x = MARGIN;
  const entry = (text: string, box: Partial<Shape & { is: "rect" }>): void => {
    shapes.push({ is: "rect", x, y: top + 10, width: 12, height: 12, fill: "none", ...box });
    shapes.push({ is: "text", x: x + 17, y: top + 20, text, fill: PRINT_INK.muted, anchor: "start" });
    x += 17 + text.length * 6 + 18;
  };
  const group = (text: string): void => {
    shapes.push({ is: "text", x, y: top + 20, text, fill: PRINT_INK.text, anchor: "start" });
    x += text.length * 6 + 10;
  };
  if (hasStates) group("critical path:");
  for (const kind of classes) entry(className(kind, causes), { fill: fillOf(kind), pattern: CLASS_PATTERN[kind] });
  if (!hasStates) return shapes;
  group("threads:");
  for (const state of ["cpu", "runnable", "blocked"] as const) entry(STATE_NAME[state], { fill: STATE_COLOUR[state], ...(state === "runnable" ? { y: top + 13, height: 6 } : {}) });
  return shapes;
}

export function svgOf(app: App, subject: Subject, ranges: Range[]): string {
  const { shapes, height, title } = picture(app, subject, ranges);
  return shapesToSvg(shapes, WIDTH, height, title);
}

export function downloadSvg(app: App, subject: Subject, ranges: Range[]): void {
  download(new Blob([svgOf(app, subject, ranges)], { type: "image/svg+xml" }), `${subject.fileName}.svg`);
}

export function downloadPng(app: App, subject: Subject, ranges: Range[]): void {
  const { shapes, height } = picture(app, subject, ranges);
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH * SCALE;
  canvas.height = height * SCALE;
  const ctx = canvas.getContext("2d");
  if (!ctx) return;
  ctx.scale(SCALE, SCALE);
  paintShapes(ctx, shapes, SCALE);
  canvas.toBlob((blob) => blob && download(blob, `${subject.fileName}.png`), "image/png");
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
