// "Every pause": the canvas with all pauses, the pointer and the wheel on it, and what is shown of the
// pause under the pointer.

import { useEffect, useRef, useState } from "preact/hooks";
import { type App, goTo, goToOpened, isAll, pan, select, setRange, useApp, zoom } from "../app";
import { useCanvas } from "../canvas";
import { maskFor } from "../chosen/follow";
import { MARK_PATH, readInk } from "../palette";
import { collectedOf, isHiccup, longestIn, pausesIn, pausesText } from "../store";
import { factorOf, shareOf, useWheel } from "../wheel";
import { type Bar, barAt, barOf, markedPauses, visibleBars } from "./bars";
import { drawBars, drawBrush, drawFrame, drawGrid, drawNothing, drawHiccups, drawLimit, drawMarks, drawTimes } from "./draw";
import { GUTTER, type Plane, RIGHT, heightOf, logFoot, usOf, xOf } from "./plane";
import { Tip } from "./tip";

const AXIS = 22;
const TOP = 14;
/** A press that moves less is a click. */
const DRAG_FROM = 4;

interface Drag {
  x: number;
  isPan: boolean;
  fromUs: number;
  toUs: number;
}

interface Scene {
  plane: Plane;
  bars: Bar[];
}

export function Timeline() {
  const app = useApp();
  const scene = useRef<Scene | null>(null);
  const drag = useRef<Drag | null>(null);
  const brush = useRef<[number, number] | null>(null);
  const [hover, setHover] = useState<{ bar: Bar; x: number } | null>(null);
  const { ref, redraw } = useCanvas((ctx, width, height) => {
    scene.current = drawScene(app, ctx, width, height, hover?.bar ?? null, brush.current);
    mark(ref.current!, app, scene.current);
  });
  useEffect(() => {
    let request = 0;
    const again = (): void => {
      redraw();
      // Other pauses may be under the pointer now; after the drawing, which was asked for before.
      request ||= requestAnimationFrame(() => {
        request = 0;
        setHover((it) => it && scene.current && hoverAt(scene.current, it.x));
      });
    };
    const stops = [app.view.watch(redraw), app.store.version.watch(again), app.choice.sums.watch(redraw)];
    return () => stops.forEach((stop) => stop());
  }, []);
  useWheel(ref, (turn) => {
    const now = scene.current;
    // Where nothing is left to zoom out of, the page scrolls on.
    if (!now || (!turn.isSideways && turn.amount > 0 && isAll(app.view.value, app.store))) return false;
    if (turn.isSideways) pan(app, shareOf(turn));
    else zoom(app, factorOf(turn), usOf(now.plane, turn.x));
    return true;
  });

  const placeOf = (event: PointerEvent): number => event.clientX - ref.current!.getBoundingClientRect().left;
  const onDown = (event: PointerEvent): void => {
    if (event.button > 1 || !scene.current) return;
    ref.current!.setPointerCapture(event.pointerId);
    const { fromUs, toUs } = app.view.value;
    drag.current = { x: placeOf(event), isPan: event.shiftKey || event.button === 1, fromUs, toUs };
  };
  const onMove = (event: PointerEvent): void => {
    const [now, at] = [scene.current, placeOf(event)];
    if (!now) return;
    const held = drag.current;
    if (!held) return void setHover(hoverAt(now, at));
    if (held.isPan) {
      const by = ((at - held.x) / now.plane.width) * (held.toUs - held.fromUs);
      return setRange(app, held.fromUs - by, held.toUs - by);
    }
    brush.current = Math.abs(at - held.x) < DRAG_FROM ? null : [held.x, at];
    setHover(null);
    redraw();
  };
  const onUp = (event: PointerEvent): void => {
    const [held, now, at] = [drag.current, scene.current, placeOf(event)];
    drag.current = null;
    const chosen = brush.current;
    brush.current = null;
    redraw();
    if (!held || !now || held.isPan) return;
    if (chosen) return setRange(app, usOf(now.plane, Math.min(...chosen)), usOf(now.plane, Math.max(...chosen)));
    const bar = barAt(now.bars, at);
    if (!bar) return;
    select(app, bar.pause);
    goToOpened();
  };
  const cancel = (): void => {
    drag.current = null;
    brush.current = null;
    setHover(null);
    redraw();
  };
  return (
    <div class="plot">
      <canvas
        ref={ref}
        class={app.store.count > 0 || app.live ? "timeline" : "timeline none"}
        id="timeline-canvas"
        tabIndex={0}
        role="application"
        aria-label={`Time line of ${pausesText(app.store, 0, app.store.count)}. Left and right arrow: previous and next pause. W and S: zoom. A and D: move. Enter: go to the pause. The longest pauses are also in a table.`}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={cancel}
        onPointerLeave={() => !drag.current && setHover(null)}
        onKeyDown={(event) => event.key === "Enter" && goTo("pause")}
      />
      {hover && <Tip pause={hover.bar.pause} among={hover.bar.among} x={hover.x} width={ref.current?.clientWidth ?? 0} />}
    </div>
  );
}

function hoverAt(scene: Scene, x: number): { bar: Bar; x: number } | null {
  const bar = barAt(scene.bars, x);
  return bar && { bar, x };
}

/** What the picture shows, for tests and for those who script the page. */
function mark(canvas: HTMLCanvasElement, app: App, { plane, bars }: Scene): void {
  const { selected } = app.view.value;
  canvas.dataset.from = String(plane.fromUs);
  canvas.dataset.to = String(plane.toUs);
  canvas.dataset.pauses = String(app.store.count);
  canvas.dataset.lastStart = String(app.store.startUs[app.store.count - 1] ?? 0);
  canvas.dataset.bars = String(bars.length);
  canvas.dataset.selected = String(selected);
  canvas.dataset.selectedX = selected < 0 ? "" : String(Math.round(xOf(plane, app.store.startUs[selected]! + app.store.lengthUs[selected]! / 2)));
}

function planeOf(app: App, width: number, height: number): Plane {
  const { store, view } = app;
  const { fromUs, toUs, isLog } = view.value;
  const longest = Math.max(store.longestUs, 10);
  return {
    left: GUTTER,
    width: Math.max(10, width - GUTTER - RIGHT),
    top: TOP,
    height: height - TOP - AXIS,
    fromUs,
    toUs,
    isLog,
    lowUs: logFoot(shortLength(app), longest),
    highUs: isLog ? Math.max(longest * 1.3, 100) : longestShown(app) * 1.08,
  };
}

/** A linear axis ends at the longest that is shown; a logarithmic one has room for all, and stays. */
function longestShown(app: App): number {
  const { store, view } = app;
  const [first, last] = pausesIn(store, view.value.fromUs, view.value.toUs);
  const mask = maskFor(app);
  if (mask) {
    let longest = 10;
    for (let i = first; i < last; i++) if (mask[i]) longest = Math.max(longest, store.lengthUs[i]!);
    return longest;
  }
  return Math.max(10, first < last ? store.lengthUs[longestIn(store, first, last)]! : store.longestUs);
}

/** A length that few pauses are below; from a sample, and anew only when the pauses change. */
let sampled = { store: null as object | null, batches: 0, us: 0 };
function shortLength({ store }: App): number {
  const { batches } = store.version.value;
  if (sampled.store === store && sampled.batches === batches) return sampled.us;
  const step = Math.max(1, Math.floor(store.count / 1_000));
  const lengths: number[] = [];
  for (let i = 0; i < store.count; i += step) lengths.push(store.lengthUs[i]!);
  lengths.sort((a, b) => a - b);
  sampled = { store, batches, us: lengths[Math.floor(lengths.length * 0.1)] ?? 1_000 };
  return sampled.us;
}

function drawScene(
  app: App,
  ctx: CanvasRenderingContext2D,
  width: number,
  height: number,
  hover: Bar | null,
  brush: [number, number] | null,
): Scene {
  const { store, view, clock } = app;
  const ink = readInk();
  const plane = planeOf(app, width, height);
  const mask = maskFor(app);
  const bars = visibleBars(store, plane, mask);
  if (store.count > 0 || app.live) drawGrid(ctx, plane, ink);
  else drawNothing(ctx, plane, ink);
  ctx.save();
  ctx.beginPath();
  ctx.rect(plane.left, 0, plane.width, height);
  ctx.clip();
  drawBars(ctx, store, plane, bars, { by: view.value.colours, only: view.value.only });
  drawHiccups(ctx, store, plane, bars, ink);
  drawMarks(ctx, store, plane, markedPauses(store, plane, mask), ink);
  for (const [pause, colour] of [
    [hover?.pause ?? -1, ink.muted],
    [view.value.stall ? -1 : view.value.selected, ink.text],
  ] as const) {
    if (pause < 0 || !isInRange(app, pause)) continue;
    drawFrame(ctx, plane, barOf(store, plane, pause, 1, 2), heightOf(plane, store.lengthUs[pause]!), colour, isHiccup(store, pause) || collectedOf(store, pause) in MARK_PATH);
  }
  ctx.restore();
  drawLimit(ctx, store, plane, ink);
  drawTimes(ctx, plane, ink, view.value.zone, clock);
  if (brush) drawBrush(ctx, plane, ink.accent, brush);
  return { plane, bars };
}

function isInRange({ store, view }: App, pause: number): boolean {
  const start = store.startUs[pause]!;
  return start <= view.value.toUs && start + store.lengthUs[pause]! >= view.value.fromUs;
}
