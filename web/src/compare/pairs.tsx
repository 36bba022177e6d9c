// Bars in pairs, before over after, all on one linear scale.

import type { ComponentChildren } from "preact";
import { Bar } from "../tables/table";
import type { Pair, Side } from "./lengths";

interface Props {
  rows: (Pair & { mark?: ComponentChildren; note?: string })[];
  caption: string;
}

const LINES = ["before", "after"] as const;

const isNone = (it: Pair): boolean => LINES.every((run) => it[run].text === "none");

export function Pairs({ rows, caption }: Props) {
  const most = Math.max(...rows.flatMap((it) => [it.before.share, it.after.share]), 1e-12);
  return (
    <table class="pairs">
      <caption class="hidden">{caption}</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">of</th>
          <th scope="col">before and after</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((it) => (
          <tr>
            <th scope="row">
              {it.mark} <bdi>{it.name}</bdi>
              {it.note && <small>{it.note}</small>}
            </th>
            <td>
              {isNone(it) ? <span class="muted">none</span> : LINES.map((run) => <Line run={run} side={it[run]} most={most} />)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Line({ run, side, most }: { run: "before" | "after"; side: Side; most: number }) {
  return (
    <div class={`side ${run}`}>
      <Bar share={side.share / most} />
      <span class={side.share > 0 ? "said" : "said muted"}>
        <span class="hidden">{run}: </span>
        {side.text}
      </span>
    </div>
  );
}

/** What the two colours mean. */
export function RunKeys() {
  return (
    <span class="run-keys">
      <span class="run-key before">before</span>
      <span class="run-key after">after</span>
    </span>
  );
}
