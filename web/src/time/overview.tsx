// The whole run in a strip, with the shown range as a window that can be dragged, stretched at its edges
// and drawn anew.

import { useEffect, useRef } from "preact/hooks";
import { type App, isAll, setRange, useApp, zoom } from "../app";
import { useCanvas } from "../canvas";
import { maskFor } from "../chosen/follow";
import { duration } from "../format";
import { CLASS_COLOUR, readInk } from "../palette";
import { classOf } from "../stalls/pools";
import type { Store } from "../store";
import { factorOf, useWheel } from "../wheel";
import { visibleBars } from "./bars";
import { drawBars, line } from "./draw";
import { GUTTER, type Plane, RIGHT, logFoot, usOf, xOf } from "./plane";

/** How near to an edge of the window a press takes hold of it. */
const EDGE = 7;
/** Height of the line of stalls. */
const STALLS = 4;

interface Drag {
  hold: "from" | "to" | "window";
  atUs: number;
  fromUs: number;
  toUs: number;
}

export function Overview() {
  const app = useApp();
  const { store, view } = app;
  const drag = useRef<Drag | null>(null);
  const plane = useRef<Plane | null>(null);
  const { ref, redraw } = useCanvas((ctx, width, height) => {
    const whole = (plane.current = wholePlane(width, height, store));
    const { fromUs, toUs, only, colours } = view.value;
    const mask = maskFor(app);
    drawBars(ctx, store, whole, visibleBars(store, whole, mask), { by: colours, only });
    drawStalls(ctx, app, whole);
    drawWindow(ctx, whole, height, fromUs, toUs);
  });
  useEffect(() => {
    const stops = [view.watch(redraw), store.version.watch(redraw), app.stalls.version.watch(redraw)];
    return () => stops.forEach((stop) => stop());
  }, []);
  useWheel(ref, (turn) => {
    if (turn.amount > 0 && isAll(view.value, store)) return false;
    zoom(app, factorOf(turn));
    return true;
  });

  const timeOf = (event: PointerEvent): number => usOf(plane.current!, event.clientX - ref.current!.getBoundingClientRect().left);
  const onDown = (event: PointerEvent): void => {
    ref.current!.setPointerCapture(event.pointerId);
    const [x, atUs] = [event.clientX - ref.current!.getBoundingClientRect().left, timeOf(event)];
    const { fromUs, toUs } = view.value;
    const hold = holdAt(plane.current!, x, fromUs, toUs);
    // Outside the window a new one is drawn from here.
    drag.current = hold ? { hold, atUs, fromUs, toUs } : { hold: "to", atUs, fromUs: atUs, toUs: atUs };
  };
  const onMove = (event: PointerEvent): void => {
    const held = drag.current;
    if (!held) return;
    const by = timeOf(event) - held.atUs;
    const from = held.hold === "to" ? held.fromUs : held.fromUs + by;
    const to = held.hold === "from" ? held.toUs : held.toUs + by;
    setRange(app, Math.min(from, to), Math.max(from, to));
  };
  return (
    <canvas
      ref={ref}
      class="overview"
      role="img"
      aria-label={`Overview of ${app.live ? "the time that is kept" : "the whole run"}, ${duration(store.endUs - store.beginUs)}; the window is the range that is shown above`}
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={() => (drag.current = null)}
      onPointerCancel={() => (drag.current = null)}
    />
  );
}

/** Where threads stood while the JVM ran: a thin line at the foot. */
function drawStalls(ctx: CanvasRenderingContext2D, { stalls, store, view }: App, plane: Plane): void {
  for (const { startUs, endUs, cause } of stalls.episodes) {
    const kind = classOf(store.causes, cause);
    const x = Math.floor(xOf(plane, startUs));
    ctx.globalAlpha = view.value.only === null || view.value.only === kind ? 1 : 0.14;
    ctx.fillStyle = CLASS_COLOUR[kind];
    ctx.fillRect(x, plane.top + plane.height - STALLS, Math.max(1, Math.round(xOf(plane, endUs)) - x), STALLS);
  }
  ctx.globalAlpha = 1;
}

function wholePlane(width: number, height: number, { beginUs, endUs, longestUs }: Store): Plane {
  return {
    left: GUTTER,
    width: Math.max(10, width - GUTTER - RIGHT),
    top: 3,
    height: height - 6,
    fromUs: beginUs,
    toUs: Math.max(endUs, beginUs + 1),
    isLog: true,
    lowUs: logFoot(1_000, longestUs),
    highUs: Math.max(longestUs * 1.3, 100),
  };
}

function holdAt(plane: Plane, x: number, fromUs: number, toUs: number): Drag["hold"] | null {
  const [from, to] = [xOf(plane, fromUs), xOf(plane, toUs)];
  const isWhole = fromUs <= plane.fromUs && toUs >= plane.toUs;
  if (isWhole && x > from + EDGE && x < to - EDGE) return null;
  if (Math.abs(x - from) <= EDGE && x < (from + to) / 2) return "from";
  if (Math.abs(x - to) <= EDGE) return "to";
  return x > from && x < to ? "window" : null;
}

function drawWindow(ctx: CanvasRenderingContext2D, plane: Plane, height: number, fromUs: number, toUs: number): void {
  const ink = readInk();
  const [from, to] = [xOf(plane, fromUs), Math.max(xOf(plane, toUs), xOf(plane, fromUs) + 2)];
  ctx.fillStyle = ink.paper;
  ctx.globalAlpha = 0.62;
  ctx.fillRect(plane.left, 0, from - plane.left, height);
  ctx.fillRect(to, 0, plane.left + plane.width - to, height);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = ink.muted;
  ctx.strokeRect(from + 0.5, 0.5, to - from - 1, height - 1);
  ctx.lineWidth = 3;
  for (const x of [from + 1, to - 1]) line(ctx, ink.muted, x, height / 2 - 6, x, height / 2 + 6);
  ctx.lineWidth = 1;
}
