// What several sections say of lengths: a table of names with number, sum, mean and longest, and the facts of
// a distribution.

import { count, duration, durationNs, hasPercentile } from "../format";
import { Name } from "../parts/text";
import { Bar, type Column, Table } from "./table";

export interface Ranked {
  name: string;
  count: number;
  totalUs: number;
  maxUs: number;
}

interface Props {
  title: string;
  caption: string;
  /** The heads of the first two columns. */
  name: string;
  counted: string;
  /** Most time first. */
  rows: Ranked[];
  id?: string;
}

export function Ranking({ title, caption, name, counted, rows, id }: Props) {
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map((it) => it.totalUs), 1);
  const mean = (it: Ranked): number => it.totalUs / Math.max(1, it.count);
  const columns: Column<Ranked>[] = [
    { name, show: (it) => <Name text={it.name} />, key: (it) => it.name },
    { name: counted, show: (it) => count(it.count), key: (it) => it.count, isNumber: true },
    { name: "total", show: (it) => duration(it.totalUs), key: (it) => it.totalUs, isNumber: true },
    { name: "", show: (it) => <Bar share={it.totalUs / most} /> },
    { name: "mean", show: (it) => duration(mean(it)), key: mean, isNumber: true },
    { name: "longest", show: (it) => duration(it.maxUs), key: (it) => it.maxUs, isNumber: true },
  ];
  return (
    <div class="block">
      <h3>{title}</h3>
      <Table id={id} caption={caption} columns={columns} rows={rows} sortedBy={2} isCaptionHidden />
    </div>
  );
}

interface Lengths {
  count: number;
  total_ns: number;
  max_ns: number;
  mean_ns: number;
  p50_ns: number;
  p90_ns: number;
  p99_ns: number;
  p99_9_ns: number;
}

export function lengthFacts(it: Lengths): [string, string][] {
  const facts: [string, string][] = [
    ["total", durationNs(it.total_ns)],
    ["longest", durationNs(it.max_ns)],
    ["mean", durationNs(it.mean_ns)],
    ["p50", durationNs(it.p50_ns)],
    ["p90", durationNs(it.p90_ns)],
    ["p99", durationNs(it.p99_ns)],
    ["p99.9", durationNs(it.p99_9_ns)],
  ];
  return facts.filter(([name]) => hasPercentile(name, it.count));
}
