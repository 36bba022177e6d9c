// The section "Memory": rates, live set, generations.

import { OfWholeRun } from "../chosen/bar";
import { bytes, count } from "../format";
import type { Memory } from "../model";
import { Name } from "../parts/text";
import { type Column, Facts, Table } from "./table";

type Generation = Memory["generations"][number];

const size = (n: number | null): string => (n === null ? "" : bytes(n));
const rate = (n: number | null): string | null => (n === null ? null : `${bytes(n)}/s`);

export function MemorySection({ memory }: { memory: Memory }) {
  return (
    <section id="memory" class="panel" aria-labelledby="memory-title">
      <div class="panel-head">
        <h2 id="memory-title">Memory</h2>
        <OfWholeRun />
      </div>
      <div class="columns">
        <Facts
          title="Heap and rates"
          facts={[
            ["most used", bytes(memory.most_used_bytes)],
            ["largest capacity", memory.most_capacity_bytes > 0 ? bytes(memory.most_capacity_bytes) : null],
            ["maximum heap (-Xmx)", size(memory.max_heap_bytes) || null],
            ["allocated", `${memory.allocation_is_exact ? "" : "at least "}${bytes(memory.allocated_bytes)}`],
            ["allocation rate", rate(memory.allocation_bytes_per_s)],
            ["promoted", size(memory.promoted_bytes) || null],
            ["promotion rate", rate(memory.promotion_bytes_per_s)],
          ]}
        />
        {memory.live_set && <LiveSet live={memory.live_set} />}
      </div>
      {memory.generations.length > 0 && <Generations rows={memory.generations} />}
    </section>
  );
}

function LiveSet({ live }: { live: NonNullable<Memory["live_set"]> }) {
  const growth = live.growth_bytes_per_hour;
  return (
    <Facts
      title="Live set (after full and concurrent collections)"
      facts={[
        ["samples", count(live.samples)],
        ["first", bytes(live.first_bytes)],
        ["last", bytes(live.last_bytes)],
        ["smallest", bytes(live.min_bytes)],
        ["largest", bytes(live.max_bytes)],
        ["growth", growth === null ? null : `${growth < 0 ? "−" : ""}${bytes(Math.abs(growth))}/h`],
      ]}
    />
  );
}

function Generations({ rows }: { rows: Generation[] }) {
  const number = (name: string, pick: (row: Generation) => number | null): Column<Generation> => ({
    name,
    show: (it) => size(pick(it)),
    key: (it) => pick(it) ?? -1,
    isNumber: true,
  });
  return (
    <div class="block">
      <h3>Generations</h3>
      <Table
        caption="Generations of the heap"
        isCaptionHidden
        rows={rows}
        columns={[
          { name: "generation", show: (it) => <Name text={it.name} />, key: (it) => it.name },
          number("most before", (it) => it.max_before_bytes),
          number("most after", (it) => it.max_after_bytes),
          number("last after", (it) => it.last_after_bytes),
          number("smallest capacity", (it) => it.min_capacity_bytes),
          number("largest capacity", (it) => it.max_capacity_bytes),
        ]}
      />
    </div>
  );
}
