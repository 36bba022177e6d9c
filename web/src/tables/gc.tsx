// The section "Garbage collection": what users of GC log viewers look for. Only what there is data for.

import { OfWholeRun } from "../chosen/bar";
import { count, durationNs, bytes, percent, words } from "../format";
import type { Count, Gc } from "../model";
import { Ranking, lengthFacts } from "./lengths";
import { Facts } from "./table";

export function GcSection({ gc }: { gc: Gc }) {
  return (
    <section id="gc" class="panel" aria-labelledby="gc-title">
      <div class="panel-head">
        <h2 id="gc-title">Garbage collection</h2>
        <OfWholeRun />
      </div>
      <div class="columns">
        <Kinds title="By kind" name="kind" rows={gc.by_kind.map((it) => ({ ...it, name: it.kind }))} />
        <Kinds title="By GC cause" name="GC cause" rows={gc.by_cause.map((it) => ({ ...it, name: it.cause }))} />
        <Kinds title="By phase" name="phase" rows={gc.by_phase.map((it) => ({ ...it, name: it.phase }))} />
        <Facts title="Collections" facts={collectionFacts(gc)} />
        {gc.cpu && <Facts title="CPU time of the collections" facts={cpuFacts(gc.cpu)} />}
        <Facts title="Concurrent cycles" facts={cycleFacts(gc)} />
        {gc.references && <Facts title="References processed" facts={referenceFacts(gc.references)} />}
        {gc.humongous && <Facts title="Humongous objects" facts={humongousFacts(gc.humongous)} />}
      </div>
    </section>
  );
}

function Kinds({ title, name, rows }: { title: string; name: string; rows: (Count & { name: string })[] }) {
  const ranked = rows.map((it) => ({ name: words(it.name), count: it.count, totalUs: it.total_ns / 1_000, maxUs: it.max_ns / 1_000 }));
  return <Ranking title={title} caption={`Collections ${title.charAt(0).toLowerCase()}${title.slice(1)}`} name={name} counted="count" rows={ranked} />;
}

const some = (n: number): string | null => (n > 0 ? count(n) : null);
const time = (ns: number): string | null => (ns > 0 ? durationNs(ns) : null);

function collectionFacts({ pauses, allocation_stalls, ...gc }: Gc): [string, string | null][] {
  const stalls = allocation_stalls.count > 0 ? `${count(allocation_stalls.count)}, ${durationNs(allocation_stalls.total_ns)}, longest ${durationNs(allocation_stalls.max_ns)}` : null;
  return [
    ["pauses of collections", count(pauses.count)],
    ...lengthFacts(pauses),
    ["allocation stalls", stalls],
    ["evacuation failures", some(gc.evacuation_failures)],
    ["promotion failures", some(gc.promotion_failures)],
    ["concurrent mode failures", some(gc.concurrent_mode_failures)],
  ];
}

function cpuFacts(cpu: NonNullable<Gc["cpu"]>): [string, string | null][] {
  const all = cpu.user_ns + cpu.sys_ns;
  return [
    ["collections", count(cpu.collections)],
    ["user", durationNs(cpu.user_ns)],
    ["sys", `${durationNs(cpu.sys_ns)} (${percent(all > 0 ? cpu.sys_ns / all : 0)})`],
    ["real", durationNs(cpu.real_ns)],
    ["CPUs at work on average", cpu.real_ns > 0 ? (all / cpu.real_ns).toFixed(1) : null],
  ];
}

function cycleFacts(gc: Gc): [string, string | null][] {
  return [
    ["concurrent cycles", some(gc.concurrent_cycles)],
    ["young cycles", some(gc.young_cycles)],
    ["time in cycles", time(gc.cycle_time.total_ns)],
    ["longest cycle", time(gc.cycle_time.max_ns)],
    ["from cycle to cycle", gc.cycle_interval_ns === null ? null : durationNs(gc.cycle_interval_ns)],
  ];
}

function referenceFacts(references: NonNullable<Gc["references"]>): [string, string | null][] {
  return Object.entries(references)
    .filter(([, value]) => typeof value === "number" && value > 0)
    .map(([name, value]) => (name.endsWith("_ns") ? [words(name.slice(0, -3)), durationNs(value)] : [words(name), count(value)]));
}

function humongousFacts(it: NonNullable<Gc["humongous"]>): [string, string | null][] {
  const size = (n: number | null): string | null => (n === null ? null : bytes(n));
  return [
    ["collections begun for them", some(it.collections)],
    ["most regions", some(it.most_regions)],
    ["requests", some(it.requests)],
    ["largest", size(it.largest_bytes)],
    ["region size", size(it.region_size_bytes)],
    ["region size that would hold them", size(it.region_size_needed_bytes)],
  ];
}
