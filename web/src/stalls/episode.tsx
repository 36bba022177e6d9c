// An episode of stalls, opened in place of a pause: what it was in a sentence, the facts of it, its threads as
// lanes.

import { useMemo } from "preact/hooks";
import { openStall, useApp } from "../app";
import { fullTime, timeOfDay } from "../clock";
import { count, duration, plural } from "../format";
import type { Range } from "../lanes/dense";
import type { Subject } from "../lanes/export";
import { Lanes } from "../lanes/lanes";
import { Newest } from "../lanes/newest";
import { SaveButtons } from "../lanes/save";
import { usePart } from "../observable";
import { Swatch } from "../parts/swatch";
import { Long, Name, Said, beginning } from "../parts/text";
import { type OpenedStall, type Stop, extentText, openedStall } from "./opened";
import { type Store, isHiccup, jvmName, pausesIn } from "../store";
import { classOf } from "./pools";
import { type Episode, neighbour } from "./store";

/** Unexplained time of less than one part in this number is not worth a word. */
const TRIFLE = 100;

export function StallOpened({ stall }: { stall: Episode }) {
  const { stalls, store, page } = useApp();
  const opened = useMemo(() => openedStall(stall, stopsIn(store, stall)), [stall]);
  const at = stalls.episodes.indexOf(stall);
  return (
    <section id="pause" class="panel" aria-labelledby="pause-title" data-stall={at} data-lanes={opened.shown.lanes.length}>
      <Lanes opened={opened.shown} lengthUs={opened.lengthUs} what="episode" head={(ranges) => <Head stall={stall} opened={opened} ranges={ranges} title={page.answer.title} />}>
        {opened.lanesLeftOut > 0 && <p class="hint">{plural(opened.lanesLeftOut, "thread")} with less time left out of the lanes.</p>}
      </Lanes>
    </section>
  );
}

/** The stops of the JVM in an episode, those that overlap as one. */
function stopsIn(store: Store, { startUs, endUs, jvm }: Episode): Stop[] {
  const stops: Stop[] = [];
  const [first, last] = pausesIn(store, startUs, endUs);
  for (let i = first; i < last; i++) {
    if (isHiccup(store, i) || jvmName(store, i) !== jvm) continue;
    const [from, to] = [store.startUs[i]!, store.startUs[i]! + store.lengthUs[i]!];
    const before = stops[stops.length - 1];
    if (before && from <= before[1]) before[1] = Math.max(before[1], to);
    else stops.push([from, to]);
  }
  return stops;
}

function Head({ stall, opened, ranges, title }: { stall: Episode; opened: OpenedStall; ranges: Range[]; title: string }) {
  const app = useApp();
  const { stalls, clock, view, live } = app;
  const zone = usePart(view, (it) => it.zone);
  const at = stalls.episodes.indexOf(stall);
  const to = (direction: 1 | -1): void => openStall(app, neighbour(stalls, stall, direction) ?? stall);
  const subject = (): Subject => ({ title: `${stall.jvm || title}: ${stall.told}`, startUs: stall.startUs, lengthUs: opened.lengthUs, opened: opened.shown, parts: [], fileName: `whypause-stall-${at + 1}` });
  return (
    <>
      <div class="panel-head">
        <h2 id="pause-title" title={fullTime(stall.startUs, zone, clock)}>
          {timeOfDay(stall.startUs, zone, clock)}
        </h2>
        <p class="about">
          <b>{duration(stall.longest_us)}</b> longest stall while the JVM ran
          {stall.jvm && (
            <>
              {" "}
              · <Name text={stall.jvm} />
            </>
          )}
          <span class="muted">
            {" "}
            · {live ? "" : `episode ${count(at + 1)} of ${count(stalls.episodes.length)} · `}
            {extentText(stall)}
          </span>
        </p>
        <div class="tools">
          {live && <Newest />}
          <button type="button" disabled={at <= 0} onClick={() => to(-1)}>
            ← previous
          </button>
          <button type="button" disabled={at === stalls.episodes.length - 1} onClick={() => to(1)}>
            next →
          </button>
          <SaveButtons subject={subject} ranges={ranges} />
        </div>
      </div>
      <p class="told">
        <Said text={stall.told} />
      </p>
      <Facts stall={stall} />
    </>
  );
}

function Facts({ stall }: { stall: Episode }) {
  const { store } = useApp();
  const { place, holder } = stall;
  const cause = stall.cause === null ? undefined : store.causes[stall.cause];
  const where = [place.thread && `${place.thread}${place.call ? ` in ${place.call}` : ""}`, place.file, [place.file_system, place.device].filter(Boolean).join(" on ")];
  return (
    <dl class="facts-list">
      <div>
        <dt>cause</dt>
        <dd>
          <Swatch kind={classOf(store.causes, stall.cause)} /> <Long text={cause?.title ?? "unexplained"} />{" "}
          {cause && <span class="muted">{beginning(stall.certainty, 20)}</span>}
        </dd>
      </div>
      {stall.mechanisms.length > 0 && (
        <div>
          <dt>how</dt>
          <dd>
            <Long text={stall.mechanisms.map(([phrase, us]) => `${phrase} (${duration(us)})`).join(" · ")} />
          </dd>
        </div>
      )}
      {where.some(Boolean) && (
        <div>
          <dt>the longest</dt>
          <dd>
            <Long text={where.filter(Boolean).join(" · ")} />
          </dd>
        </div>
      )}
      {holder && (
        <div>
          <dt>waited for</dt>
          <dd>
            <Name text={holder.name} />
          </dd>
        </div>
      )}
      {stall.who.length > 0 && (
        <div>
          <dt>who</dt>
          {stall.who.map((it) => (
            <dd>
              <Said text={it} />
            </dd>
          ))}
        </div>
      )}
      {cause && stall.unexplained_us * TRIFLE >= stall.time_us && (
        <div>
          <dt>unexplained</dt>
          <dd>{duration(stall.unexplained_us)}</dd>
        </div>
      )}
    </dl>
  );
}
