// The section "Pauses": how long they are (buckets), the longest, and by operation.

import { goTo, select, useApp } from "../app";
import { fullTime } from "../clock";
import { ChosenNote } from "../chosen/bar";
import { chosenNumbers } from "../chosen/cards";
import { useChosen } from "../chosen/follow";
import type { Chosen } from "../chosen/sums";
import { axisLength, count, duration, durationNs, percent, plural } from "../format";
import type { Collected, Numbers } from "../model";
import { usePart } from "../observable";
import { KIND_NAME, MARK_PATH } from "../palette";
import { Mark, Swatch } from "../parts/swatch";
import { type Store, collectedOf, fullKindName, isHiccup, jvmName, lengthText, longestPauses, operationName, partsOf } from "../store";
import { Name } from "../parts/text";
import { type Ranked, Ranking, lengthFacts } from "./lengths";
import { Bar, type Column, Facts, Table } from "./table";

const MOST_LONGEST = 50;
const FIRST_LONGEST = 12;
/** Smaller parts of a pause are not worth a place in a row. */
const LEAST_SHARE = 0.02;

export function PausesSection() {
  const app = useApp();
  const { store, page, calm, live } = app;
  usePart(calm, (it) => it.batches);
  const chosen = useChosen(app);
  const numbers = chosen.isWhole ? page.numbers : { pauses: chosenNumbers(store, chosen), throughput: null };
  return (
    <section id="pauses" class="panel" aria-labelledby="pauses-title">
      <div class="panel-head">
        <h2 id="pauses-title">Pauses in numbers</h2>
      </div>
      <ChosenNote />
      {chosen.pauses.length > 0 && (
        <>
          <div class="columns">
            <Buckets store={store} chosen={chosen} />
            <Statistics title={chosen.isWhole ? (live ? `Pauses of ${duration(store.limitUs)} or more` : "All pauses") : "These pauses"} numbers={numbers} />
          </div>
          <Jvms store={store} chosen={chosen} />
          <div class="columns">
            <Operations store={store} chosen={chosen} />
            <Collections chosen={chosen} />
          </div>
          <Longest store={store} chosen={chosen} />
        </>
      )}
    </section>
  );
}

function Statistics({ title, numbers: { pauses, throughput } }: { title: string; numbers: Pick<Numbers, "pauses" | "throughput"> }) {
  const some = (it: { count: number; total_ns: number; max_ns: number }): string | null =>
    it.count > 0 && it.total_ns > 0 ? `${durationNs(it.total_ns)}, longest ${durationNs(it.max_ns)}` : null;
  return (
    <Facts
      title={title}
      facts={[
        ["pauses", count(pauses.count)],
        ...lengthFacts(pauses),
        ...Object.entries(pauses.over).map(([limit, over]): [string, string] => [`over ${limit.replace(/(\d)([a-z])/, "$1 $2")}`, count(over)]),
        ["time to safepoint", some(pauses.time_to_safepoint)],
        ["hiccups", some(pauses.hiccups)],
        ["throughput", throughput === null ? null : percent(throughput)],
      ]}
    />
  );
}

interface Bucket {
  fromUs: number;
  toUs: number;
  count: number;
  totalUs: number;
}

/** Lengths in steps of 1, 2, 5, 10, …, from the first bucket that has pauses to the last. */
export function bucketsOf(store: Store, pauses: Uint32Array): Bucket[] {
  const edges = Array.from({ length: 11 }, (_, power) => [1, 2, 5].map((it) => it * 10 ** power)).flat();
  const buckets = edges.map((fromUs, i): Bucket => ({ fromUs: i === 0 ? 0 : fromUs, toUs: edges[i + 1] ?? Infinity, count: 0, totalUs: 0 }));
  for (const pause of pauses) {
    const us = store.lengthUs[pause]!;
    let [low, high] = [0, edges.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (edges[middle]! <= us) low = middle;
      else high = middle;
    }
    buckets[low]!.count++;
    buckets[low]!.totalUs += us;
  }
  const first = buckets.findIndex((it) => it.count > 0);
  const last = buckets.length - [...buckets].reverse().findIndex((it) => it.count > 0);
  return first < 0 ? [] : buckets.slice(first, last);
}

interface Some {
  store: Store;
  chosen: Chosen;
}

function Buckets({ store, chosen }: Some) {
  const buckets = bucketsOf(store, chosen.pauses);
  const most = Math.max(...buckets.map((it) => it.totalUs), 1);
  const total = buckets.reduce((sum, it) => sum + it.totalUs, 0);
  const columns: Column<Bucket>[] = [
    { name: "length", show: (it) => `${axisLength(it.fromUs)} – ${it.toUs === Infinity ? "" : axisLength(it.toUs)}`, key: (it) => it.fromUs, isNumber: true },
    { name: "time", show: (it) => (it.count > 0 ? duration(it.totalUs) : ""), key: (it) => it.totalUs, isNumber: true },
    // Time, and not the number: the many short pauses are not what users wait for.
    { name: "", show: (it) => <Bar share={it.totalUs / most} /> },
    { name: "share", show: (it) => (it.count > 0 ? percent(it.totalUs / total) : ""), key: (it) => it.totalUs, isNumber: true },
    { name: "pauses", show: (it) => count(it.count), key: (it) => it.count, isNumber: true },
  ];
  return (
    <div class="block">
      <h3>By length</h3>
      <Table id="buckets" caption="Time in pauses by their length; bars are time, to scale" columns={columns} rows={buckets} />
    </div>
  );
}

function rankedBy({ store, chosen }: Some, nameOf: (store: Store, pause: number) => string): Ranked[] {
  const found = new Map<string, Ranked>();
  for (const pause of chosen.pauses) {
    const name = nameOf(store, pause);
    const known = found.get(name) ?? { name, count: 0, totalUs: 0, maxUs: 0 };
    known.count++;
    known.totalUs += store.lengthUs[pause]!;
    known.maxUs = Math.max(known.maxUs, store.lengthUs[pause]!);
    found.set(name, known);
  }
  return [...found.values()].sort((a, b) => b.totalUs - a.totalUs);
}

function Jvms(some: Some) {
  if (some.store.jvms.length === 0) return null;
  return <Ranking id="jvms" title="By JVM" caption="Pauses by JVM" name="JVM" counted="pauses" rows={rankedBy(some, jvmName)} />;
}

function Operations(some: Some) {
  const rows = rankedBy(some, operationName);
  if (rows.length < 2) return null;
  return <Ranking id="operations" title="By operation" caption="Pauses by operation" name="operation" counted="pauses" rows={rows} />;
}

/** Only of a part of the pauses: of all, the section on garbage collection has more. */
function Collections({ chosen }: { chosen: Chosen }) {
  const kinds = [...chosen.kinds].filter(([kind]) => kind !== "-");
  if (chosen.isWhole || kinds.length === 0) return null;
  return (
    <div class="block">
      <Facts title="By kind of collection" facts={kinds.sort(([, a], [, b]) => b.us - a.us).map(([kind, it]) => [KIND_NAME[kind as Collected] ?? kind, `${count(it.count)}, ${duration(it.us)}`])} />
    </div>
  );
}

function Longest({ store, chosen }: Some) {
  const app = useApp();
  const zone = usePart(app.view, (it) => it.zone);
  const rows = longestPauses(store, MOST_LONGEST, chosen.pauses);
  const open = (pause: number): void => {
    select(app, pause);
    goTo("pause");
  };
  const ofJvm: Column<number> = { name: "JVM", show: (it) => <Name text={jvmName(store, it)} />, key: (it) => jvmName(store, it) };
  const columns: Column<number>[] = [
    {
      name: "at",
      show: (it) => (
        <button type="button" class="link" onClick={() => open(it)}>
          {fullTime(store.startUs[it]!, zone, app.clock)}
        </button>
      ),
      key: (it) => it,
    },
    { name: "length", show: (it) => lengthText(store, it), key: (it) => store.lengthUs[it]!, isNumber: true },
    { name: "time to safepoint", show: (it) => (store.reachingUs[it]! > 0 ? duration(store.reachingUs[it]!) : ""), key: (it) => store.reachingUs[it]!, isNumber: true },
    ...(store.jvms.length > 0 ? [ofJvm] : []),
    { name: "kind", show: (it) => <KindCell store={store} pause={it} />, key: (it) => fullKindName(store, it) },
    { name: "operation", show: (it) => <Name text={operationName(store, it)} />, key: (it) => operationName(store, it) },
    { name: "breakdown", show: (it) => <Breakdown store={store} pause={it} /> },
  ];
  return (
    <div class="block">
      <h3>The longest</h3>
      <Table id="longest" caption={rows.length === chosen.pauses.length ? plural(rows.length, "pause") : `The ${count(rows.length)} longest of ${count(chosen.pauses.length)} pauses`} columns={columns} rows={rows} sortedBy={1} first={FIRST_LONGEST} />
    </div>
  );
}

function KindCell({ store, pause }: { store: Store; pause: number }) {
  const kind = collectedOf(store, pause);
  return (
    <>
      {MARK_PATH[kind] && !isHiccup(store, pause) && <Mark kind={kind} />} {fullKindName(store, pause)}
    </>
  );
}

function Breakdown({ store, pause }: { store: Store; pause: number }) {
  const length = store.lengthUs[pause]!;
  return (
    <span class="breakdown">
      {partsOf(store, pause)
        .filter((part) => part.us >= length * LEAST_SHARE)
        .slice(0, 3)
        .map((part) => {
        const cause = part.cause === null ? undefined : store.causes[part.cause];
        return (
          <span>
            <Swatch kind={cause?.class ?? "unexplained"} /> {duration(part.us)} <Name text={cause?.short ?? "unexplained"} />
          </span>
        );
      })}
    </span>
  );
}
