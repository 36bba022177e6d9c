// The lanes of what is opened: the whole of it, its dense part zoomed, and what is known of a slice.

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useApp } from "../app";
import { duration, plural } from "../format";
import { STATES, STATE_COLOUR, STATE_NAME } from "../palette";
import { type Range, densePart } from "./dense";
import { Detail } from "./detail";
import { Pane } from "./pane";
import { type Shown, type Slice, sharedUs } from "./picture";

/** With more threads than these the picture would not fit a screen; the others are one press away. */
const FIRST_LANES = 16;
/** Characters of a name that the narrow column of names has room for. */
const FITTING = 18;

interface LanesProps {
  opened: Shown;
  lengthUs: number;
  /** What is opened, for the middle of a sentence. */
  what: "pause" | "episode";
  /** What stands above; it knows which ranges are shown, to save them. */
  head: (ranges: Range[]) => ComponentChildren;
  children?: ComponentChildren;
}

/** The lanes of what is opened, whole and zoomed, and what is known of the selected slice. */
export function Lanes({ opened: all, lengthUs, what, head, children }: LanesProps) {
  const { view } = useApp();
  const [hasAll, setAll] = useState(false);
  const [isWide, setWide] = useState(false);
  // Where every name fits, there is nothing to widen.
  const isCut = useMemo(() => all.lanes.some((it) => it.name.length > FITTING || it.role.length + 8 > FITTING * 1.3), [all]);
  const opened = useMemo(() => (hasAll ? all : { ...all, lanes: all.lanes.slice(0, FIRST_LANES) }), [all, hasAll]);
  const dense = useMemo(() => (what === "pause" ? densePart(all, lengthUs) : null), [all]);
  const [range, setRangeNow] = useState<Range>(dense ?? [0, lengthUs]);
  const [slice, setSliceNow] = useState<Slice | null>(() => decisiveSlice(opened));
  // Who looks into a pause keeps it open, also where new ones come live.
  const keep = (): void => view.set({ isNewest: false });
  const setRange = (it: Range): void => (keep(), setRangeNow(it));
  const setSlice = (it: Slice | null): void => (keep(), setSliceNow(it));
  const whole: Range = [0, lengthUs];
  const isWhole = range[1] - range[0] >= lengthUs;
  const selection = { selected: slice, onSelect: setSlice, onRange: setRange, opened, lengthUs, isWide };
  return (
    <>
      {head(dense ? [whole, range] : [range])}
      {dense && <Pane id="lanes-whole" label={`The whole ${what}`} range={whole} inner={range} {...selection} />}
      <p class="pane-title">
        <b>{rangeTitle(range, lengthUs, dense, what)}</b>
        <span class="hint">wheel zooms at the pointer · drag pans · click a slice</span>
        {isCut && (
          <button type="button" aria-pressed={isWide} onClick={() => setWide(!isWide)}>
            wide names
          </button>
        )}
        <button type="button" disabled={isWhole} onClick={() => setRange(whole)}>
          whole {what}
        </button>
        {dense && (
          <button type="button" disabled={range === dense} onClick={() => setRange(dense)}>
            dense part
          </button>
        )}
      </p>
      <Pane id="lanes" label={dense ? "The zoomed part" : `The ${what}`} range={range} {...selection} />
      {all.lanes.length > FIRST_LANES && (
        <button type="button" class="link all-lanes" aria-expanded={hasAll} onClick={() => setAll(!hasAll)}>
          {hasAll ? `the first ${FIRST_LANES} threads` : `all ${all.lanes.length} threads`}
        </button>
      )}
      <StateLegend opened={opened} />
      {opened.left_out > 0 && <p class="hint">The shortest {plural(opened.left_out, what === "pause" ? "slice" : "stall")} left out, to keep the page small.</p>}
      <Detail opened={all} slice={slice} />
      {children}
    </>
  );
}

function rangeTitle([from, to]: Range, lengthUs: number, dense: Range | null, what: string): string {
  if (to - from >= lengthUs) return `the whole ${what}`;
  const isDense = dense !== null && from === dense[0] && to === dense[1];
  const where = from <= 0 ? `the first ${duration(to)}` : `${duration(from)} to ${duration(to)}`;
  return isDense ? `${where}, zoomed: most of the slices are here` : `${where}, zoomed`;
}

/** The slice that the pause waited for longest, to begin with: one of whose wait something is known, else any. */
const decisiveSlice = (opened: Shown): Slice | null => longestSlice(opened, true) ?? longestSlice(opened, false);

/** By the account, else by length. */
function longestSlice(opened: Shown, isKnown: boolean): Slice | null {
  let best: Slice | null = null;
  let bestUs = 0;
  opened.lanes.forEach((lane, laneIndex) => {
    const segments = opened.segments.filter((it) => it.lane === laneIndex);
    if (segments.length === 0 && opened.segments.some((it) => it.lane !== null)) return;
    lane.spans.forEach((span, spanIndex) => {
      if ((isKnown && (span.wait === null || opened.waits[span.wait]?.thread)) || span.state === "idle" || span.state === "stopped") return;
      const us = segments.length === 0 ? span.length_us : segments.reduce((sum, it) => sum + Math.max(0, sharedUs(span, it)), 0);
      if (us <= bestUs) return;
      best = { lane: laneIndex, span: spanIndex };
      bestUs = us;
    });
  });
  return best;
}

function StateLegend({ opened }: { opened: Shown }) {
  const states = new Set(opened.lanes.flatMap((lane) => lane.spans.map((it) => it.state)));
  const hasArrows = opened.lanes.some((lane) => lane.spans.some((it) => it.woken_by !== null));
  if (opened.stalledFor !== undefined) {
    return (
      <ul class="states">
        {states.has("stopped") && <li>thin: the JVM was stopped, which does not count</li>}
        {hasArrows && <li>↓ from the thread that others waited for to who waited for it</li>}
      </ul>
    );
  }
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
      {hasArrows && <li>↓ from who woke to who was woken</li>}
    </ul>
  );
}
