// The section "The pause": the selected one opened, as lanes where threads were recorded, else as its parts; or
// an episode of stalls in its place.

import { useEffect } from "preact/hooks";
import { goTo, step, useApp } from "../app";
import { useCanvas } from "../canvas";
import { maskFor } from "../chosen/follow";
import { fullTime, timeOfDay, uptime } from "../clock";
import { count, duration, percent } from "../format";
import type { Opened } from "../model";
import { usePart } from "../observable";
import { readInk } from "../palette";
import { Swatch } from "../parts/swatch";
import { Name, Said } from "../parts/text";
import { StallOpened } from "../stalls/episode";
import { fullKindName, hasOperation, jvmName, lengthText, operationName, partsOf } from "../store";
import type { Range } from "./dense";
import { pauseSubject } from "./export";
import { Lanes } from "./lanes";
import { Needs, Phases, StageTable, Stages } from "./log";
import { Newest } from "./newest";
import { PARTS_HEIGHT, partShapes } from "./parts";
import { SaveButtons } from "./save";
import { paintShapes } from "./shapes";

export function PauseSection() {
  const app = useApp();
  const pause = usePart(app.view, (it) => it.selected);
  const stall = usePart(app.view, (it) => it.stall);
  usePart(app.view, (it) => it.zone);
  usePart(app.calm, (it) => it.batches);
  if (stall) return <StallOpened key={stall.startUs} stall={stall} />;
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
          <b>{lengthText(store, pause)}</b> {fullKindName(store, pause)}
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
          <button type="button" disabled={pause === 0} onClick={() => step(app, -1, false, maskFor(app))}>
            ← previous
          </button>
          <button type="button" disabled={pause === store.count - 1} onClick={() => step(app, 1, false, maskFor(app))}>
            next →
          </button>
          <button type="button" onClick={() => goTo("timeline")}>
            ↑ time line
          </button>
          <SaveButtons subject={() => pauseSubject(app, pause)} ranges={ranges} />
        </div>
      </div>
      <PartList pause={pause} />
    </>
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

function WithLanes({ pause, opened }: { pause: number; opened: Opened }) {
  return (
    <Lanes opened={opened} lengthUs={useApp().store.lengthUs[pause]!} what="pause" head={(ranges) => <HeadWithChain pause={pause} chain={opened.chain} ranges={ranges} />}>
      {opened.stages.some((it) => it.steps.length > 0) && <StageTable stages={opened.stages} lengthUs={useApp().store.lengthUs[pause]!} />}
      <Phases opened={opened} />
    </Lanes>
  );
}

function HeadWithChain({ pause, chain, ranges }: { pause: number; chain: string; ranges: Range[] }) {
  return (
    <>
      <Head pause={pause} ranges={ranges} />
      {chain && (
        <p class="chain">
          <Said text={chain} />
        </p>
      )}
    </>
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
