// The section "Pauses": how long they are (buckets), the longest, and by operation.

import { goTo, select, useApp } from "../app";
import { fullTime } from "../clock";
import { axisLength, count, duration, durationNs, percent } from "../format";
import type { Numbers } from "../model";
import { usePart } from "../observable";
import { Swatch } from "../parts/swatch";
import { type Store, jvmName, kindName, longestPauses, operationName, partsOf } from "../store";
import { Name } from "../parts/text";
import { type Ranked, Ranking, lengthFacts } from "./lengths";
import { Bar, type Column, Facts, Table } from "./table";

const MOST_LONGEST = 50;
const FIRST_LONGEST = 12;
/** Smaller parts of a pause are not worth a place in a row. */
const LEAST_SHARE = 0.02;

export function PausesSection() {
  const { store, page, calm, live } = useApp();
  usePart(calm, (it) => it.batches);
  return (
    <section id="pauses" class="panel" aria-labelledby="pauses-title">
      <div class="panel-head">
        <h2 id="pauses-title">Pauses in numbers</h2>
      </div>
      <div class="columns">
        <Buckets store={store} />
        <Statistics title={live ? `Pauses of ${duration(store.limitUs)} or more` : "All pauses"} numbers={page.numbers} />
      </div>
      <Jvms store={store} />
      <Operations store={store} />
      <Longest store={store} />
    </section>
  );
}

function Statistics({ title, numbers: { pauses, throughput } }: { title: string; numbers: Numbers }) {
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
export function bucketsOf(store: Store): Bucket[] {
  const edges = Array.from({ length: 11 }, (_, power) => [1, 2, 5].map((it) => it * 10 ** power)).flat();
  const buckets = edges.map((fromUs, i): Bucket => ({ fromUs: i === 0 ? 0 : fromUs, toUs: edges[i + 1] ?? Infinity, count: 0, totalUs: 0 }));
  for (let pause = 0; pause < store.count; pause++) {
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

function Buckets({ store }: { store: Store }) {
  const buckets = bucketsOf(store);
  const most = Math.max(...buckets.map((it) => it.count), 1);
  const total = buckets.reduce((sum, it) => sum + it.totalUs, 0);
  const columns: Column<Bucket>[] = [
    { name: "length", show: (it) => `${axisLength(it.fromUs)} – ${it.toUs === Infinity ? "" : axisLength(it.toUs)}`, key: (it) => it.fromUs, isNumber: true },
    { name: "pauses", show: (it) => count(it.count), key: (it) => it.count, isNumber: true },
    // Many short and few long ones: on a linear scale the few would not be seen.
    { name: "", show: (it) => <Bar share={Math.log1p(it.count) / Math.log1p(most)} /> },
    { name: "total", show: (it) => (it.count > 0 ? duration(it.totalUs) : ""), key: (it) => it.totalUs, isNumber: true },
    { name: "share", show: (it) => (it.count > 0 ? percent(it.totalUs / total) : ""), key: (it) => it.totalUs, isNumber: true },
  ];
  return (
    <div class="block">
      <h3>By length</h3>
      <Table id="buckets" caption="Pauses by length; bars on a logarithmic scale" columns={columns} rows={buckets} />
    </div>
  );
}

function rankedBy(store: Store, nameOf: (store: Store, pause: number) => string): Ranked[] {
  const found = new Map<string, Ranked>();
  for (let pause = 0; pause < store.count; pause++) {
    const name = nameOf(store, pause);
    const known = found.get(name) ?? { name, count: 0, totalUs: 0, maxUs: 0 };
    known.count++;
    known.totalUs += store.lengthUs[pause]!;
    known.maxUs = Math.max(known.maxUs, store.lengthUs[pause]!);
    found.set(name, known);
  }
  return [...found.values()].sort((a, b) => b.totalUs - a.totalUs);
}

function Jvms({ store }: { store: Store }) {
  if (store.jvms.length === 0) return null;
  return <Ranking id="jvms" title="By JVM" caption="Pauses by JVM" name="JVM" counted="pauses" rows={rankedBy(store, jvmName)} />;
}

function Operations({ store }: { store: Store }) {
  const rows = rankedBy(store, operationName);
  if (rows.length < 2) return null;
  return <Ranking id="operations" title="By operation" caption="Pauses by operation" name="operation" counted="pauses" rows={rows} />;
}

function Longest({ store }: { store: Store }) {
  const app = useApp();
  const zone = usePart(app.view, (it) => it.zone);
  const rows = longestPauses(store, MOST_LONGEST);
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
    { name: "length", show: (it) => duration(store.lengthUs[it]!), key: (it) => store.lengthUs[it]!, isNumber: true },
    { name: "time to safepoint", show: (it) => (store.reachingUs[it]! > 0 ? duration(store.reachingUs[it]!) : ""), key: (it) => store.reachingUs[it]!, isNumber: true },
    ...(store.jvms.length > 0 ? [ofJvm] : []),
    { name: "kind", show: (it) => kindName(store, it), key: (it) => kindName(store, it) },
    { name: "operation", show: (it) => <Name text={operationName(store, it)} />, key: (it) => operationName(store, it) },
    { name: "breakdown", show: (it) => <Breakdown store={store} pause={it} /> },
  ];
  return (
    <div class="block">
      <h3>The longest</h3>
      <Table id="longest" caption={`The ${count(rows.length)} longest of ${count(store.count)} pauses`} columns={columns} rows={rows} sortedBy={1} first={FIRST_LONGEST} />
    </div>
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
