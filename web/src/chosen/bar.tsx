// The filter, and of what the numbers on the page are: of the range that is shown, or of all.

import { isAll, showAll, useApp } from "../app";
import { rangeText } from "../clock";
import { axisLength, count, plural } from "../format";
import { usePart } from "../observable";
import { CLASSES, CLASS_NAME, KINDS, KIND_NAME } from "../palette";
import { beginning } from "../parts/text";
import { type Filter, NO_FILTER, isFilter } from "./filter";
import { useChosen } from "./follow";

/** Lengths that pauses may be filtered by, besides the limit and the one in the address, in microseconds. */
const LENGTHS = [1_000, 10_000, 50_000, 100_000, 250_000, 1e6];

export function FilterBar() {
  const app = useApp();
  const { store, view, calm } = app;
  usePart(calm, (it) => it.batches);
  const filter = usePart(view, (it) => it.filter);
  const set = (change: Partial<Filter>): void => view.set({ filter: { ...filter, ...change } });
  if (store.count < 2) return null;
  return (
    <form class="filter" role="search" aria-label="pauses" onSubmit={(event) => event.preventDefault()}>
      <Causes filter={filter} set={set} />
      <Kinds filter={filter} set={set} />
      <Lengths filter={filter} set={set} />
      <input
        type="search"
        id="filter-text"
        aria-label="text in operation, kind or cause"
        placeholder="search" title="operation, kind, cause"
        value={filter.text}
        maxLength={200}
        onInput={(event) => set({ text: event.currentTarget.value })}
        onKeyDown={(event) => event.key === "Escape" && (set({ text: "" }), event.currentTarget.blur())}
      />
      {isFilter(filter) && (
        <button type="button" onClick={() => view.set({ filter: NO_FILTER })}>
          clear
        </button>
      )}
      <Scope />
    </form>
  );
}

interface Field {
  filter: Filter;
  set: (change: Partial<Filter>) => void;
}

function Causes({ filter, set }: Field) {
  const { store } = useApp();
  // Each that is a part of any pause, in the order of the legend.
  const used = new Set(store.partCause.subarray(0, store.partFrom[store.count]));
  const causes = store.causes.filter((_, index) => used.has(index)).sort((a, b) => CLASSES.indexOf(a.class) - CLASSES.indexOf(b.class));
  return (
    <select id="filter-cause" aria-label="cause" value={filter.cause} onChange={(event) => set({ cause: event.currentTarget.value })}>
      <option value="">any cause</option>
      {causes.map((it) => (
        <option value={it.id}>{beginning(it.title, 60)}</option>
      ))}
      <option value="unexplained">{CLASS_NAME.unexplained}</option>
    </select>
  );
}

function Kinds({ filter, set }: Field) {
  const { store } = useApp();
  const used = new Set(store.collected.subarray(0, store.count));
  const kinds = KINDS.filter((it) => used.has(it.charCodeAt(0)));
  const hasHiccups = store.hiccupsBefore[store.count]! > 0;
  return (
    <select id="filter-kind" aria-label="kind" value={filter.kind} onChange={(event) => set({ kind: event.currentTarget.value })}>
      <option value="">any kind</option>
      {kinds.map((it) => (
        <option value={it}>{KIND_NAME[it]}</option>
      ))}
      {hasHiccups && <option value="h">hiccup</option>}
    </select>
  );
}

function Lengths({ filter, set }: Field) {
  const { store } = useApp();
  const all = [...new Set([...LENGTHS, store.limitUs, filter.leastUs])].filter((it) => it > 0).sort((a, b) => a - b);
  return (
    <select id="filter-least" aria-label="length" value={String(filter.leastUs)} onChange={(event) => set({ leastUs: Number(event.currentTarget.value) })}>
      <option value="0">any length</option>
      {all.map((it) => (
        <option value={String(it)}>{axisLength(it)} or longer</option>
      ))}
    </select>
  );
}

/** Seen only where the range is a part of the run: of which the numbers are. */
function Scope() {
  const app = useApp();
  const { view, store } = app;
  const isWhole = usePart(view, (it) => isAll(it, store));
  const isForAll = usePart(view, (it) => it.isForAll);
  return (
    // Its place stays, or the time line would move under the pointer that zooms it.
    <div class={isWhole ? "scope unseen" : "scope"}>
      <span class="muted" id="scope-name">
        numbers of
      </span>
      <div class="choice" role="group" aria-labelledby="scope-name">
        <button type="button" aria-pressed={!isForAll} onClick={() => view.set({ isForAll: false })}>
          this range
        </button>
        <button type="button" aria-pressed={isForAll} onClick={() => view.set({ isForAll: true })}>
          all
        </button>
      </div>
    </div>
  );
}

/** `12 of 215 pauses, 14:02:41 – 14:02:55`: above numbers that are not of all; nothing where they are, but that they are
 * where its place has to stay. */
export function ChosenNote({ isKept }: { isKept?: boolean }) {
  const app = useApp();
  const { store, view, clock } = app;
  const chosen = useChosen(app);
  const zone = usePart(view, (it) => it.zone);
  if (store.count === 0 || (chosen.isWhole && !isKept)) return null;
  if (chosen.isWhole) return <p class="all-note muted">{store.count === 1 ? "1 pause" : `all ${plural(store.count, "pause")}`}</p>;
  const { fromUs, toUs, pauses } = chosen;
  return (
    <p class="chosen-note">
      <b>
        {count(pauses.length)} of {plural(store.count, "pause")}
      </b>
      {chosen.hasFilter && " (filtered)"}, {rangeText(fromUs, toUs, zone, clock)}{" "}
      <button
        type="button"
        class="link"
        onClick={() => {
          view.set({ filter: NO_FILTER, isForAll: false });
          showAll(app);
        }}
      >
        show all
      </button>
    </p>
  );
}

/** Beside the heading of what is of all pauses, where the page shows numbers of some. */
export function OfWholeRun() {
  const chosen = useChosen(useApp());
  return chosen.isWhole ? null : <span class="muted of-whole">of the whole run</span>;
}
