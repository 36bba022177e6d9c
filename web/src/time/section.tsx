// The section "Every pause": legend and tools, the time line, the heap beneath, the overview.

import { follow, isAll, showAll, useApp, zoom } from "../app";
import { rangeText } from "../clock";
import { duration, plural } from "../format";
import { usePart } from "../observable";
import { CLASSES, CLASS_NAME } from "../palette";
import { Swatch } from "../parts/swatch";
import { type Store, classTimes, pausesIn, pausesText } from "../store";
import { StallLanes } from "../stalls/lanes";
import { Heap } from "./heap";
import { HostLines } from "./host";
import { Overview } from "./overview";
import { Timeline } from "./timeline";

export function TimeSection() {
  const app = useApp();
  const { store, view, page } = app;
  usePart(app.calm, (it) => it.batches);
  usePart(app.calm, (it) => it.second);
  const isLog = usePart(view, (it) => it.isLog);
  const all = usePart(view, (it) => isAll(it, store));
  const memory = page.numbers.memory;
  return (
    <section id="timeline" class="panel" aria-labelledby="timeline-title">
      <div class="panel-head">
        <h2 id="timeline-title">Every pause</h2>
        <Shown />
        <div class="tools">
          <div class="choice" role="group" aria-label="axis of lengths">
            <button type="button" aria-pressed={isLog} onClick={() => view.set({ isLog: true })}>
              log
            </button>
            <button type="button" aria-pressed={!isLog} onClick={() => view.set({ isLog: false })}>
              linear
            </button>
          </div>
          {app.live && <Follow />}
          <button type="button" aria-label="zoom out" disabled={all} onClick={() => zoom(app, 2)}>
            −
          </button>
          <button type="button" aria-label="zoom in" onClick={() => zoom(app, 0.5)}>
            +
          </button>
          <button type="button" disabled={all} onClick={() => showAll(app)}>
            all {duration(store.endUs - store.beginUs)}
          </button>
        </div>
      </div>
      <Legend />
      <Timeline />
      <StallLanes />
      {memory && memory.series.length > 1 && <Heap memory={memory} />}
      {page.host.length > 0 && <HostLines lines={page.host} />}
      <Overview />
      <p class="hint">
        drag to zoom · wheel zooms at the pointer · click opens a pause{app.stalls.episodes.length > 0 && " or a stall"} · <kbd>←</kbd> <kbd>→</kbd> previous, next ·{" "}
        <button type="button" class="link" onClick={() => view.set({ areKeysOpen: true })}>
          all keys
        </button>
        {isLog && " · a bar's height is the pause's length, its colours the shares of the causes"}
      </p>
      {store.leftOut > 0 && (
        <p class="hint">
          {plural(store.leftOut, "shorter pause")} left out for size; all numbers in the tables count them.
        </p>
      )}
    </section>
  );
}

/** Moves the range on with the newest, until someone moves it. */
function Follow() {
  const app = useApp();
  const isFollowing = usePart(app.view, (it) => it.isFollowing);
  return (
    <button type="button" id="follow" disabled={isFollowing} onClick={() => follow(app)}>
      follow
    </button>
  );
}

/** How much of it is in the range. */
function Shown() {
  const { store, view, clock } = useApp();
  const text = usePart(view, ({ fromUs, toUs, zone }) => {
    const [first, last] = pausesIn(store, fromUs, toUs);
    return `${pausesText(store, first, last)} · ${rangeText(fromUs, toUs, zone, clock)}`;
  });
  return <span class="muted shown">{text}</span>;
}

function Legend() {
  const { store, view } = useApp();
  const only = usePart(view, (it) => it.only);
  const totals = totalTimes(store);
  return (
    <div class="legend" role="group" aria-label="classes of causes; a press dims the others">
      {CLASSES.map((kind, i) => {
        const us = totals[i]!;
        if (us < 1 && kind !== only) return null;
        const titles = store.causes.filter((it) => it.class === kind).map((it) => it.title);
        return (
          <button
            type="button"
            class="entry"
            aria-pressed={only === kind}
            title={titles.join(" · ") || undefined}
            onClick={() => view.set({ only: only === kind ? null : kind })}
          >
            <Swatch kind={kind} /> {CLASS_NAME[kind]} <span class="muted">{duration(us)}</span>
          </button>
        );
      })}
      <HiccupEntry store={store} />
    </div>
  );
}

/** The mark of a hiccup, with what one is. */
function HiccupEntry({ store }: { store: Store }) {
  const hiccups = store.hiccupsBefore[store.count]!;
  if (hiccups === 0) return null;
  return (
    <span class="entry hiccups" title="application threads did not run, though no safepoint was under way">
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <circle cx="6" cy="6" r="4" />
      </svg>{" "}
      hiccup: no stop of the JVM <span class="muted">{pausesText(store, 0, store.count).split(" · ").pop()}</span>
    </span>
  );
}

const one = new Float64Array(CLASSES.length);
let summed = { store: null as Store | null, batches: 0, totals: [] as number[] };

/** Time of each class in all pauses; added up anew only when they change. */
function totalTimes(store: Store): number[] {
  const { batches } = store.version.value;
  if (summed.store === store && summed.batches === batches) return summed.totals;
  const totals = CLASSES.map(() => 0);
  for (let pause = 0; pause < store.count; pause++) {
    classTimes(store, pause, one);
    for (let i = 0; i < totals.length; i++) totals[i]! += one[i]!;
  }
  // Each pause's parts are whole microseconds: what remains below one for each is rounding.
  if (totals[totals.length - 1]! < store.count * 3) totals[totals.length - 1] = 0;
  summed = { store, batches, totals };
  return totals;
}
