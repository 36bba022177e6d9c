// The time lines of both runs, one over the other: on the same axis of time, aligned at their first pauses, and on
// the same axis of lengths.

import { useState } from "preact/hooks";
import { useCanvas } from "../canvas";
import type { Clock } from "../clock";
import { duration } from "../format";
import type { Class, Collected, ComparePage } from "../model";
import type { Observable } from "../observable";
import { usePart } from "../observable";
import { CLASSES, className, KINDS, KIND_NAME, MARK_PATH, readInk } from "../palette";
import { Mark, Swatch } from "../parts/swatch";
import { type Store, collectedOf, isHiccup, partsOf } from "../store";
import { markedPauses, visibleBars } from "../time/bars";
import { drawBars, drawGrid, drawHiccups, drawMarks, drawNothing, drawTimes } from "../time/draw";
import { GUTTER, type Plane, RIGHT, logFoot, roundUp, xOf } from "../time/plane";
import { pausesText } from "./lengths";
import type { CompareView } from "./start";

const SHORTEST_AXIS_US = 1_000;
/** Room for the marks above a bar, and for the times beneath. */
const TOP = 14;
const FOOT = 22;

/** Time since the first pause of the run. */
const SINCE: Clock = { wallMs: null, uptimeMs: null, zoneMinutes: null, zoneless: false, zoneOwner: "log" };

interface Props {
  page: ComparePage;
  stores: [Store, Store];
  masks: [Uint8Array, Uint8Array];
  view: Observable<CompareView>;
}

export function Lines({ page, stores, masks, view }: Props) {
  const [isLog, setLog] = useState(true);
  const toUs = Math.max(SHORTEST_AXIS_US, ...stores.map((it) => it.endUs));
  const lengths = stores.flatMap((store, run) => chosen(store, masks[run]!));
  const longest = lengths.reduce((a, b) => Math.max(a, b), 100);
  const shortest = lengths.reduce((a, b) => Math.min(a, b), longest);
  const axis = { toUs, isLog, lowUs: logFoot(shortest, longest), highUs: isLog ? 10 ** Math.ceil(Math.log10(longest)) : roundUp(longest) };
  return (
    <section id="timeline" class="panel" aria-labelledby="timeline-title">
      <div class="panel-head">
        <h2 id="timeline-title">Both runs, from the first pause of each</h2>
        <span class="muted">one axis of time, one of lengths</span>
        <div class="tools choice" role="group" aria-label="axis of lengths">
          <button type="button" aria-pressed={isLog} onClick={() => setLog(true)}>
            log
          </button>
          <button type="button" aria-pressed={!isLog} onClick={() => setLog(false)}>
            linear
          </button>
        </div>
      </div>
      <p class="legend hint">
        {classesOf(stores, masks).map((kind) => (
          <span class="class-label">
            <Swatch kind={kind} /> {className(kind, stores.flatMap((it) => it.causes))}
          </span>
        ))}
        {marksOf(stores, masks).map((kind) => (
          <span class="class-label">
            <Mark kind={kind} /> {KIND_NAME[kind]}
          </span>
        ))}
      </p>
      {stores.map((store, run) => (
        <Line store={store} mask={masks[run]!} name={run === 0 ? "before" : "after"} about={page.runs[run]!.header.join(" · ")} axis={axis} view={view} />
      ))}
    </section>
  );
}

const chosen = (store: Store, mask: Uint8Array): number[] => Array.from(store.lengthUs.subarray(0, store.count)).filter((_, i) => mask[i]);

/** The classes that have time in any pause. */
export function classesOf(stores: Store[], masks: Uint8Array[]): Class[] {
  const there = new Set<Class>();
  stores.forEach((store, run) => {
    for (let i = 0; i < store.count; i++) {
      if (!masks[run]![i]) continue;
      for (const part of partsOf(store, i)) there.add(part.cause === null ? "unexplained" : store.causes[part.cause]!.class);
    }
  });
  return CLASSES.filter((it) => there.has(it));
}

const marksOf = (stores: Store[], masks: Uint8Array[]): Collected[] =>
  KINDS.filter((kind) => MARK_PATH[kind] && stores.some((store, run) => masks[run]!.some((it, i) => it && collectedOf(store, i) === kind)));

interface LineProps {
  store: Store;
  mask: Uint8Array;
  name: "before" | "after";
  about: string;
  axis: Pick<Plane, "toUs" | "isLog" | "lowUs" | "highUs">;
  view: Props["view"];
}

function Line({ store, mask, name, about, axis, view }: LineProps) {
  usePart(view, (it) => it.repaint);
  const { ref } = useCanvas((ctx, width, height) => draw(ctx, store, mask, { ...axis, left: GUTTER, width: width - GUTTER - RIGHT, top: TOP, height: height - TOP - FOOT, fromUs: 0 }));
  const shown = chosen(store, mask);
  const text = `${pausesText(shown.length)} in ${duration(store.endUs)}, the longest ${duration(shown.reduce((a, b) => Math.max(a, b), 0))}`;
  return (
    <figure class={`run ${name}`}>
      <figcaption>
        <span class={`run-key ${name}`}>
          <b>{name}</b>
        </span>{" "}
        <bdi class="muted">{about}</bdi>
      </figcaption>
      <canvas ref={ref} class="run-line" id={`line-${name}`} role="img" aria-label={`${name}: ${text}`} />
    </figure>
  );
}

function draw(ctx: CanvasRenderingContext2D, store: Store, mask: Uint8Array, plane: Plane): void {
  const ink = readInk();
  // What is behind the end of the shorter run is not a time without pauses.
  const end = xOf(plane, store.endUs);
  const right = plane.left + plane.width;
  if (right - end > 2) {
    ctx.fillStyle = ink.lane;
    ctx.fillRect(end, plane.top, right - end, plane.height);
  }
  drawGrid(ctx, plane, ink);
  const bars = visibleBars(store, plane, mask);
  if (bars.length === 0) drawNothing(ctx, plane, ink);
  drawBars(ctx, store, plane, bars, { by: "cause", only: null });
  drawHiccups(ctx, store, plane, bars.filter((it) => isHiccup(store, it.pause)), ink);
  drawMarks(ctx, store, plane, markedPauses(store, plane, mask), ink);
  drawTimes(ctx, plane, ink, "uptime", SINCE);
  if (right - end > 70) {
    ctx.textAlign = "left";
    ctx.fillStyle = ink.muted;
    ctx.textBaseline = "top";
    ctx.fillText("end of the run", end + 6, plane.top + 4);
  }
}

