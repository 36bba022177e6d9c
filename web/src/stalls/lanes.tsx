// Threads that stood while the JVM ran, beneath the pauses and with the same time axis: a lane for each pool,
// as high as many of its threads stand at once, in the colours of what they wait for.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type App, goTo, goToOpened, isAll, openStall, pan, setRange, stepStall, useApp, zoom } from "../app";
import { FONT, fitted, useCanvas } from "../canvas";
import { count, duration, plural } from "../format";
import type { CauseInfo, Class } from "../model";
import { usePart } from "../observable";
import { CLASSES, CLASS_COLOUR, className, CLASS_PATTERN, type Group, type Ink, canvasPattern, readInk } from "../palette";
import { Swatch } from "../parts/swatch";
import { beginning } from "../parts/text";
import { lowerBound } from "../store";
import { drawBrush, line } from "../time/draw";
import { GUTTER, type Plane, RIGHT, usOf, xOf } from "../time/plane";
import { factorOf, shareOf, useWheel } from "../wheel";
import { type PoolLane, classOf, episodeAt, extentIn, poolLanes, total } from "./pools";
import { type Episode, type StallStore, leftOut } from "./store";
import { StallTip } from "./tip";

const ROW = 34;
const LABEL = 14;
const FOOT = 4;
/** How near to a stall a press takes it. */
const NEAR = 6;
/** From this size on a pattern can be made out. */
const PATTERN_FROM = 6;
/** A press that moves less is a click. */
const DRAG_FROM = 4;
/** Characters of the heading; the section on stalls has all of them. */
const MOST_HEADING = 240;

export function StallLanes() {
  const app = useApp();
  const { stalls, store } = app;
  usePart(stalls.version, (it) => it.batches);
  if (stalls.episodes.length === 0) return null;
  return <Lanes stalls={stalls} causes={store.causes} />;
}

function Lanes({ stalls, causes }: { stalls: StallStore; causes: CauseInfo[] }) {
  const app = useApp();
  const { page } = app;
  const { batches } = stalls.version.value;
  const lanes = useMemo(() => poolLanes(stalls, causes), [batches]);
  const plane = useRef<Plane | null>(null);
  const drag = useRef<{ x: number; isPan: boolean; fromUs: number; toUs: number } | null>(null);
  const brush = useRef<[number, number] | null>(null);
  const [hover, setHover] = useState<{ episode: Episode; x: number } | null>(null);
  const { ref, redraw } = useCanvas((ctx, width, height) => {
    const { fromUs, toUs, only, stall } = app.view.value;
    const now = (plane.current = { left: GUTTER, width: Math.max(10, width - GUTTER - RIGHT), top: 0, height, fromUs, toUs, isLog: false, lowUs: 0, highUs: 1 });
    const ink = readInk();
    lanes.forEach((lane, row) => drawLane(ctx, now, lane, row * ROW, only, ink));
    for (const [episode, colour] of [[hover?.episode, ink.muted], [stall, ink.text]] as const) {
      if (episode) lanes.forEach((lane, row) => drawMark(ctx, now, lane, episode, row * ROW, colour));
    }
    if (brush.current) drawBrush(ctx, now, ink.accent, brush.current);
    mark(ref.current!, app, now, lanes);
  });
  useEffect(() => app.view.watch(redraw), []);
  useWheel(ref, (turn) => {
    if (!plane.current || (!turn.isSideways && turn.amount > 0 && isAll(app.view.value, app.store))) return false;
    if (turn.isSideways) pan(app, shareOf(turn));
    else zoom(app, factorOf(turn), usOf(plane.current, turn.x));
    return true;
  });
  const placeOf = (event: PointerEvent): number => event.clientX - ref.current!.getBoundingClientRect().left;
  const found = (event: PointerEvent): { episode: Episode; x: number } | null => {
    const now = plane.current;
    const lane = lanes[Math.floor((event.clientY - ref.current!.getBoundingClientRect().top) / ROW)];
    const x = placeOf(event);
    const episode = now && lane ? episodeAt(lane, usOf(now, x), (NEAR / now.width) * (now.toUs - now.fromUs)) : null;
    return episode && { episode, x };
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button > 1) return;
    ref.current!.setPointerCapture(event.pointerId);
    const { fromUs, toUs } = app.view.value;
    drag.current = { x: placeOf(event), isPan: event.shiftKey || event.button === 1, fromUs, toUs };
  };
  const onMove = (event: PointerEvent): void => {
    const [held, now, x] = [drag.current, plane.current, placeOf(event)];
    if (!held || !now) return setHover(found(event));
    if (held.isPan) {
      const by = ((x - held.x) / now.width) * (held.toUs - held.fromUs);
      return setRange(app, held.fromUs - by, held.toUs - by);
    }
    brush.current = Math.abs(x - held.x) < DRAG_FROM ? null : [held.x, x];
    setHover(null);
    redraw();
  };
  const cancel = (): void => {
    drag.current = null;
    brush.current = null;
    setHover(null);
    redraw();
  };
  const onUp = (event: PointerEvent): void => {
    const [held, now, chosen] = [drag.current, plane.current, brush.current];
    drag.current = null;
    brush.current = null;
    redraw();
    if (!held || !now || held.isPan) return;
    if (chosen) return setRange(app, usOf(now, Math.min(...chosen)), usOf(now, Math.max(...chosen)));
    const pressed = found(event);
    if (!pressed) return;
    openStall(app, pressed.episode);
    goToOpened();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") return goTo("pause");
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    stepStall(app, event.key === "ArrowRight" ? 1 : -1);
    event.preventDefault();
    event.stopPropagation();
  };
  const more = leftOut(stalls);
  return (
    <details class="beneath stalls" open>
      <summary>
        Stalls{" "}
        <span class="muted">
          {/* Nothing that can be pressed may be in a summary. */}
          <bdi>{beginning(page.stalls?.heading.replace(/^Stalls /, "") ?? `while the JVM ran: ${plural(stalls.episodes.length, "episode")}`, MOST_HEADING)}</bdi>
        </span>
      </summary>
      <Legend stalls={stalls} causes={causes} />
      <div class="plot">
        <canvas
          ref={ref}
          class="stall-lanes"
          id="stall-lanes"
          tabIndex={0}
          role="application"
          aria-label={`Time line of ${plural(stalls.episodes.length, "episode")} of stalled threads by pool: ${lanes.map((it) => it.name.slice(0, 60)).join(", ")}. Left and right arrow: previous and next episode. W and S: zoom. A and D: move. Enter: go to the episode. The episodes are also in a table.`}
          style={{ height: `${lanes.length * ROW + FOOT}px` }}
          onPointerDown={onDown}
          onPointerMove={onMove}
          onPointerUp={onUp}
          onPointerCancel={cancel}
          onPointerLeave={() => !drag.current && setHover(null)}
          onKeyDown={onKeyDown}
        />
        {hover && <StallTip episode={hover.episode} x={hover.x} width={ref.current?.clientWidth ?? 0} />}
      </div>
      {more > 0 && <p class="hint">{plural(more, "shorter stall")} left out of the lanes for size; all numbers count them.</p>}
    </details>
  );
}

/** What the picture shows, for tests and for those who script the page. */
function mark(canvas: HTMLCanvasElement, app: App, plane: Plane, lanes: PoolLane[]): void {
  const { stall } = app.view.value;
  canvas.dataset.from = String(plane.fromUs);
  canvas.dataset.to = String(plane.toUs);
  canvas.dataset.lanes = String(lanes.length);
  canvas.dataset.episodes = String(app.stalls.episodes.length);
  canvas.dataset.selected = stall ? String(app.stalls.episodes.indexOf(stall)) : "";
}

/** The causes of the lanes, by the colours that they share. */
function Legend({ stalls, causes }: { stalls: StallStore; causes: CauseInfo[] }) {
  const names = new Map<Class, Set<string>>();
  for (const { cause } of stalls.episodes) {
    const kind = classOf(causes, cause);
    names.set(kind, (names.get(kind) ?? new Set()).add(cause === null ? "" : (causes[cause]?.short ?? "")));
  }
  return (
    <ul class="stall-legend">
      {CLASSES.filter((it) => names.has(it)).map((kind) => {
        const shorts = [...names.get(kind)!].filter(Boolean).join(", ");
        return (
          <li>
            <Swatch kind={kind} /> {className(kind, causes)}
            {shorts.includes(", ") && <span class="muted"> {shorts}</span>}
          </li>
        );
      })}
      <li class="muted">height: threads stalled at once</li>
    </ul>
  );
}

function drawLane(ctx: CanvasRenderingContext2D, plane: Plane, lane: PoolLane, top: number, only: Group | null, ink: Ink): void {
  const [ceiling, foot] = [top + LABEL, top + ROW - 4];
  line(ctx, ink.line, plane.left, foot + 0.5, plane.left + plane.width, foot + 0.5);
  ctx.save();
  ctx.beginPath();
  ctx.rect(plane.left, top, plane.width, ROW);
  ctx.clip();
  let column = { x: -1, width: 0, step: -1, most: 0 };
  const flush = (): void => {
    if (column.step >= 0) drawStep(ctx, lane, column.step, column.x, column.width, foot, foot - ceiling, only);
    column = { x: -1, width: 0, step: -1, most: 0 };
  };
  const { atUs, counts } = lane;
  for (let step = Math.max(0, lowerBound(atUs, plane.fromUs, 0, atUs.length) - 1); step < atUs.length && atUs[step]! <= plane.toUs; step++) {
    const most = total(counts, step);
    if (most === 0) continue;
    const x = Math.floor(xOf(plane, Math.max(atUs[step]!, plane.fromUs)));
    const end = Math.round(xOf(plane, Math.min(atUs[step + 1] ?? plane.toUs, plane.toUs)));
    const width = Math.max(1, end - x);
    // Of several in one column of pixels the highest is drawn.
    if (x === column.x && width === 1 && column.width === 1) {
      if (most > column.most) column = { x, width, step, most };
      continue;
    }
    flush();
    column = { x, width, step, most };
  }
  flush();
  ctx.restore();
  ctx.globalAlpha = 1;
  drawLabels(ctx, plane, lane, top, ceiling, ink);
}

function drawStep(ctx: CanvasRenderingContext2D, { counts, most }: PoolLane, step: number, x: number, width: number, foot: number, room: number, only: Group | null): void {
  // Even one of a hundred is seen.
  const unit = room / Math.max(1, most);
  let y = foot;
  CLASSES.forEach((kind, index) => {
    const threads = counts[step * CLASSES.length + index]!;
    if (threads === 0) return;
    const height = Math.max(2, threads * unit);
    y -= height;
    ctx.globalAlpha = only === null || only === kind ? 1 : 0.14;
    const isLarge = width >= PATTERN_FROM && height >= PATTERN_FROM;
    if (kind !== "unexplained" || !isLarge) {
      ctx.fillStyle = CLASS_COLOUR[kind];
      ctx.fillRect(x, y, width, height);
    }
    const pattern = isLarge && CLASS_PATTERN[kind] !== "plain" ? canvasPattern(ctx, CLASS_PATTERN[kind], devicePixelRatio) : null;
    if (!pattern) return;
    ctx.fillStyle = pattern;
    ctx.fillRect(x, y, width, height);
  });
}

function drawLabels(ctx: CanvasRenderingContext2D, plane: Plane, lane: PoolLane, top: number, ceiling: number, ink: Ink): void {
  ctx.font = FONT;
  ctx.fillStyle = ink.muted;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.fillText(fitted(ctx, lane.name, plane.width), plane.left, top + 7);
  ctx.textAlign = "right";
  ctx.fillText(count(lane.most), plane.left - 6, ceiling + 3);
}

/** A frame around an episode in a lane, which is seen even where it is one pixel wide. */
function drawMark(ctx: CanvasRenderingContext2D, plane: Plane, lane: PoolLane, episode: Episode, top: number, colour: string): void {
  const extent = extentIn(lane, episode);
  if (!extent || extent[1] < plane.fromUs || extent[0] > plane.toUs) return;
  const [from, to] = extent.map((us) => Math.min(plane.left + plane.width + 1, Math.max(plane.left - 1, xOf(plane, us)))) as [number, number];
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.strokeRect(from - 1, top + LABEL - 1, Math.max(3, to - from + 2), ROW - LABEL - 2);
  ctx.lineWidth = 1;
}

/** `8 threads (appender-*) for 31.0 s, …`, for those who hear it. */
export const spokenStall = (it: Episode): string => `${it.jvm && `${it.jvm.slice(0, 100)}, `}${it.told.slice(0, 300)}, in ${duration(it.endUs - it.startUs)}`;
