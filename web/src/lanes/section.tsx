// The section "The pause": the selected one opened, as lanes where threads were recorded, else as its parts.

import { useEffect, useMemo, useState } from "preact/hooks";
import { openNewest, step, useApp } from "../app";
import { useCanvas } from "../canvas";
import { fullTime, timeOfDay, uptime } from "../clock";
import { count, duration, percent, plural } from "../format";
import type { Opened } from "../model";
import { usePart } from "../observable";
import { STATES, STATE_COLOUR, STATE_NAME, readInk } from "../palette";
import { Swatch } from "../parts/swatch";
import { Name } from "../parts/text";
import { hasOperation, jvmName, kindName, operationName, partsOf } from "../store";
import { type Range, densePart } from "./dense";
import { Detail } from "./detail";
import { downloadPng, downloadSvg } from "./export";
import { Needs, Phases, StageTable, Stages } from "./log";
import { Pane } from "./pane";
import { PARTS_HEIGHT, partShapes } from "./parts";
import { type Slice, sharedUs } from "./picture";
import { paintShapes } from "./shapes";

/** With more threads than these the picture would not fit a screen; the others are one press away. */
const FIRST_LANES = 16;

export function PauseSection() {
  const app = useApp();
  const pause = usePart(app.view, (it) => it.selected);
  usePart(app.view, (it) => it.zone);
  usePart(app.calm, (it) => it.batches);
  if (pause < 0) return null;
  const opened = app.opened.get(pause);
  // A new key for each pause: zoom and selection begin anew. Its index may change, its start does not.
  const key = app.store.startUs[pause]!;
  return (
    <section id="pause" class="panel" aria-labelledby="pause-title" data-pause={pause} data-lanes={opened?.lanes.length ?? 0}>
      {opened && opened.lanes.length > 0 ? <WithLanes key={key} pause={pause} opened={opened} /> : <WithParts key={key} pause={pause} opened={opened} />}
    </section>
  );
}

function Head({ pause, ranges }: { pause: number; ranges: Range[] }) {
  const app = useApp();
  const { store, clock, view } = app;
  const { zone } = view.value;
  const up = zone === "uptime" ? null : uptime(store.startUs[pause]!, clock);
  return (
    <>
      <div class="panel-head">
        <h2 id="pause-title" title={fullTime(store.startUs[pause]!, zone, clock)}>
          {timeOfDay(store.startUs[pause]!, zone, clock)}
        </h2>
        <p class="about">
          <b>{duration(store.lengthUs[pause]!)}</b> {kindName(store, pause)}
          {hasOperation(store, pause) && (
            <>
              {" "}
              · <Name text={operationName(store, pause)} />
            </>
          )}
          {jvmName(store, pause) && (
            <>
              {" "}
              · <Name text={jvmName(store, pause)} />
            </>
          )}
          <span class="muted">
            {" "}
            · {count(pause + 1)} of {count(store.count)}
            {up && ` · uptime ${up}`}
          </span>
        </p>
        <div class="tools">
          {app.live && <Newest />}
          <button type="button" disabled={pause === 0} onClick={() => step(app, -1, false)}>
            ← previous
          </button>
          <button type="button" disabled={pause === store.count - 1} onClick={() => step(app, 1, false)}>
            next →
          </button>
          <button type="button" onClick={() => downloadSvg(app, pause, ranges)} aria-label="save the picture as SVG">
            SVG
          </button>
          <button type="button" onClick={() => downloadPng(app, pause, ranges)} aria-label="save the picture as PNG">
            PNG
          </button>
        </div>
      </div>
      <PartList pause={pause} />
    </>
  );
}

/** Opens each pause as it comes, until someone opens one. */
function Newest() {
  const app = useApp();
  const isNewest = usePart(app.view, (it) => it.isNewest);
  return (
    <button type="button" id="newest" disabled={isNewest} onClick={() => openNewest(app)}>
      newest
    </button>
  );
}

function PartList({ pause }: { pause: number }) {
  const { store } = useApp();
  const length = store.lengthUs[pause]!;
  return (
    <ul class="part-list">
      {partsOf(store, pause).map((part) => {
        const cause = part.cause === null ? undefined : store.causes[part.cause];
        return (
          <li>
            <Swatch kind={cause?.class ?? "unexplained"} /> <Name text={cause?.title ?? "unexplained"} /> {duration(part.us)}{" "}
            <span class="muted">{percent(part.us / length)}</span>
          </li>
        );
      })}
      {store.reachingUs[pause]! > 0 && <li class="muted">time to safepoint {duration(store.reachingUs[pause]!)}</li>}
    </ul>
  );
}

function WithLanes({ pause, opened: all }: { pause: number; opened: Opened }) {
  const { store, view } = useApp();
  const lengthUs = store.lengthUs[pause]!;
  const [hasAll, setAll] = useState(false);
  const opened = useMemo(() => (hasAll ? all : { ...all, lanes: all.lanes.slice(0, FIRST_LANES) }), [all, hasAll]);
  const dense = useMemo(() => densePart(all, lengthUs), [all]);
  const [range, setRangeNow] = useState<Range>(dense ?? [0, lengthUs]);
  const [slice, setSliceNow] = useState<Slice | null>(() => decisiveSlice(opened));
  // Who looks into a pause keeps it open, also where new ones come live.
  const keep = (): void => view.set({ isNewest: false });
  const setRange = (it: Range): void => (keep(), setRangeNow(it));
  const setSlice = (it: Slice | null): void => (keep(), setSliceNow(it));
  const whole: Range = [0, lengthUs];
  const isWhole = range[1] - range[0] >= lengthUs;
  const selection = { selected: slice, onSelect: setSlice, onRange: setRange, opened, lengthUs };
  return (
    <>
      <Head pause={pause} ranges={dense ? [whole, range] : [range]} />
      {dense && <Pane id="lanes-whole" label="The whole pause" range={whole} inner={range} {...selection} />}
      <p class="pane-title">
        <b>{rangeTitle(range, lengthUs, dense)}</b>
        <span class="hint">wheel zooms at the pointer · drag pans · click a slice</span>
        <button type="button" disabled={isWhole} onClick={() => setRange(whole)}>
          whole pause
        </button>
        {dense && (
          <button type="button" disabled={range === dense} onClick={() => setRange(dense)}>
            dense part
          </button>
        )}
      </p>
      <Pane id="lanes" label={dense ? "The zoomed part" : "The pause"} range={range} {...selection} />
      {all.lanes.length > FIRST_LANES && (
        <button type="button" class="link all-lanes" aria-expanded={hasAll} onClick={() => setAll(!hasAll)}>
          {hasAll ? `the first ${FIRST_LANES} threads` : `all ${all.lanes.length} threads`}
        </button>
      )}
      <StateLegend opened={opened} />
      {opened.left_out > 0 && <p class="hint">{plural(opened.left_out, "slice")} left out for size, the shortest ones.</p>}
      <Detail opened={all} slice={slice} />
      {all.stages.some((it) => it.steps.length > 0) && <StageTable stages={all.stages} lengthUs={lengthUs} />}
      <Phases opened={all} />
    </>
  );
}

function rangeTitle([from, to]: Range, lengthUs: number, dense: Range | null): string {
  if (to - from >= lengthUs) return "the whole pause";
  const isDense = dense !== null && from === dense[0] && to === dense[1];
  const where = from <= 0 ? `the first ${duration(to)}` : `${duration(from)} to ${duration(to)}`;
  return isDense ? `${where}, zoomed: most of the slices are here` : `${where}, zoomed`;
}

/** The slice that the pause waited for longest, to begin with: one of whose wait something is known, else any. */
const decisiveSlice = (opened: Opened): Slice | null => longestSlice(opened, true) ?? longestSlice(opened, false);

/** By the account, else by length. */
function longestSlice(opened: Opened, isKnown: boolean): Slice | null {
  let best: Slice | null = null;
  let bestUs = 0;
  opened.lanes.forEach((lane, laneIndex) => {
    const segments = opened.segments.filter((it) => it.lane === laneIndex);
    if (segments.length === 0 && opened.segments.length > 0) return;
    lane.spans.forEach((span, spanIndex) => {
      if ((isKnown && span.wait === null) || span.state === "idle" || span.state === "stopped") return;
      const us = segments.length === 0 ? span.length_us : segments.reduce((sum, it) => sum + Math.max(0, sharedUs(span, it)), 0);
      if (us <= bestUs) return;
      best = { lane: laneIndex, span: spanIndex };
      bestUs = us;
    });
  });
  return best;
}

function StateLegend({ opened }: { opened: Opened }) {
  const states = new Set(opened.lanes.flatMap((lane) => lane.spans.map((it) => it.state)));
  return (
    <ul class="states">
      {STATES.filter((it) => states.has(it)).map((state) => (
        <li>
          <svg class={`state ${state}`} viewBox="0 0 14 12" width="14" height="12" aria-hidden="true">
            {state === "idle" ? (
              <rect class="hollow" x="0.5" y="0.5" width="13" height="11" />
            ) : (
              <rect y={state === "runnable" ? 3 : 0} width="14" height={state === "runnable" ? 6 : 12} fill={STATE_COLOUR[state]} />
            )}
          </svg>
          {STATE_NAME[state]}
          {state === "blocked" && <span class="muted"> (in the colour of its cause where the pause waited for it)</span>}
        </li>
      ))}
      {opened.lanes.some((lane) => lane.spans.some((it) => it.woken_by !== null)) && <li>↓ from who woke to who was woken</li>}
    </ul>
  );
}

function WithParts({ pause, opened }: { pause: number; opened: Opened | undefined }) {
  const app = useApp();
  const hasLanes = [...app.opened.values()].some((it) => it.lanes.length > 0);
  return (
    <>
      <Head pause={pause} ranges={[]} />
      {opened && opened.stages.length > 0 ? <Stages pause={pause} opened={opened} /> : <Proportions pause={pause} />}
      {opened && <Needs opened={opened} />}
      {hasLanes && <p class="hint">The threads are kept of the longest pauses only.</p>}
      {opened && <Phases opened={opened} />}
    </>
  );
}

/** The parts of a pause of which nothing more is kept. */
function Proportions({ pause }: { pause: number }) {
  const { store, page, view } = useApp();
  const { ref, redraw } = useCanvas((ctx, width) => {
    paintShapes(ctx, partShapes(partsOf(store, pause), page.causes, 0, 0, width, readInk()), devicePixelRatio);
  });
  useEffect(() => view.watch((now, before) => now.repaint !== before.repaint && redraw()), []);
  return (
    <>
      <canvas ref={ref} class="parts" style={{ height: `${PARTS_HEIGHT}px` }} role="img" aria-label="the parts of the pause in proportion, as listed above" />
      <p class="hint">The parts in proportion, not in their order in time.</p>
    </>
  );
}
