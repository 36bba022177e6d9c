// The section "Every pause": legend and tools, the time line, the heap and the host beneath, the overview.

import { follow, isAll, showAll, useApp, zoom } from "../app";
import { rangeText } from "../clock";
import { duration, plural } from "../format";
import { usePart } from "../observable";
import { FilterBar } from "../chosen/bar";
import { isFilter } from "../chosen/filter";
import { maskFor } from "../chosen/follow";
import { chosenText, choose } from "../chosen/sums";
import { type Store, pausesIn, pausesText } from "../store";
import { StallLanes } from "../stalls/lanes";
import { Heap } from "./heap";
import { HostLines } from "./host";
import { Legend } from "./legend";
import { OpenedLine } from "./opened";
import { Overview } from "./overview";
import { Timeline } from "./timeline";

export function TimeSection() {
  const app = useApp();
  const { store, view, beneath } = app;
  usePart(app.calm, (it) => it.batches);
  usePart(app.calm, (it) => it.second);
  const isLog = usePart(view, (it) => it.isLog);
  const colours = usePart(view, (it) => it.colours);
  const all = usePart(view, (it) => isAll(it, store));
  const isKept = app.live?.state.value.connection === "kept";
  return (
    <section id="timeline" class="panel" aria-labelledby="timeline-title">
      <div class="panel-head">
        <h2 id="timeline-title">{isKept ? "Kept pauses" : "Every pause"}</h2>
        <Shown />
        <div class="tools">
          {hasCollections(store) && (
            <div class="choice" role="group" aria-label="colours of the bars">
              <button type="button" aria-pressed={colours === "cause"} onClick={() => view.set({ colours: "cause", only: null })}>
                by cause
              </button>
              <button type="button" aria-pressed={colours === "kind"} onClick={() => view.set({ colours: "kind", only: null })}>
                by kind
              </button>
            </div>
          )}
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
      <FilterBar />
      <Legend />
      <Timeline />
      <OpenedLine />
      <StallLanes />
      {beneath.heap.length > 1 && <Heap series={beneath.heap} />}
      {beneath.host.length > 0 && <HostLines lines={beneath.host} />}
      <Overview />
      <p class="hint">
        drag to zoom · wheel zooms at the pointer · click opens a pause{app.stalls.episodes.length > 0 && " or a stall"} · <kbd>←</kbd> <kbd>→</kbd> previous, next ·{" "}
        <button type="button" class="link" onClick={() => view.set({ areKeysOpen: true })}>
          all keys
        </button>
        {colours === "cause" && (isLog ? " · each bar has the colour of its largest cause; the linear axis shows all its causes" : " · a bar is divided among its causes")}
        {store.longCount > 0 && store.limitUs > 0 && ` · dashed line: the limit of ${duration(store.limitUs)}`}
      </p>
      {store.leftOut > 0 && (
        <p class="hint">
          {plural(store.leftOut, "shorter pause")} left out, to keep the page small; the numbers in the tables count them.
        </p>
      )}
    </section>
  );
}

/** Moves the range on with the newest, until someone moves it. */
function Follow() {
  const app = useApp();
  const isFollowing = usePart(app.view, (it) => it.isFollowing);
  // Nothing comes to a page of what was kept.
  if (app.live?.state.value.connection === "kept") return null;
  return (
    <button type="button" id="follow" disabled={isFollowing} onClick={() => follow(app)}>
      follow
    </button>
  );
}

/** How much of it is in the range. */
function Shown() {
  const app = useApp();
  const { store, view, clock } = app;
  const text = usePart(view, ({ fromUs, toUs, zone, filter }) => {
    const [first, last] = pausesIn(store, fromUs, toUs);
    const pauses = isFilter(filter) ? `${chosenText(choose(store, maskFor(app), fromUs, toUs, false))} (filtered)` : pausesText(store, first, last);
    return `${pauses} · ${rangeText(fromUs, toUs, zone, clock)}`;
  });
  return (
    <span class="muted shown" title={text}>
      {text}
    </span>
  );
}

/** Whether there is anything to tell apart by kind of collection. */
const hasCollections = ({ collected, count }: Store): boolean => collected.subarray(0, count).some((it) => it !== NO_COLLECTION);
const NO_COLLECTION = "-".charCodeAt(0);
