// Heap used before and after each collection, beneath the pauses and with the same time axis (uPlot).

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { setRange, useApp } from "../app";
import { timeOfDay } from "../clock";
import { bytes } from "../format";
import type { Memory } from "../model";
import { readInk } from "../palette";
import { GUTTER, RIGHT } from "./plane";

const HEIGHT = 96;

/** Two points for each collection, so that the line falls where the collection is. */
function sawtooth(series: Memory["series"]): uPlot.AlignedData {
  const [at, used, after, capacity]: [number[], number[], (number | null)[], (number | null)[]] = [[], [], [], []];
  for (const [ms, before, left, room] of series) {
    at.push(ms, ms);
    used.push(before, left);
    after.push(null, left);
    capacity.push(room, room);
  }
  return [at, capacity, after, used];
}

/** Two or three round marks: powers of two are round for memory. */
function marksUpTo(high: number): number[] {
  const step = 2 ** Math.floor(Math.log2(Math.max(2, high / 2)));
  return [0, 1, 2, 3].map((it) => it * step).filter((it) => it <= high);
}

export function Heap({ series }: { series: Memory["series"] }) {
  const app = useApp();
  const shown = useRef(series);
  const drawn = useRef<uPlot | null>(null);
  const holder = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const place = holder.current!;
    let plot = make(place);
    function make(into: HTMLElement): uPlot {
      return (drawn.current = new uPlot(options(into.clientWidth), sawtooth(shown.current), into));
    }
    function options(width: number): uPlot.Options {
      const ink = readInk();
      const range = (): [number, number] => [app.view.value.fromUs / 1_000, app.view.value.toUs / 1_000];
      return {
        width,
        height: HEIGHT,
        padding: [8, RIGHT, 4, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
        scales: { x: { time: false, range }, y: { range: (_, __, high) => [0, high * 1.08 || 1] } },
        axes: [
          { show: false },
          {
            size: GUTTER,
            stroke: ink.muted,
            font: "11px system-ui, sans-serif",
            grid: { stroke: ink.line, width: 1 },
            ticks: { show: false },
            splits: (_, __, ___, high) => marksUpTo(high),
            values: (_, marks) => marks.map((it) => (it === 0 ? "0" : bytes(it))),
            gap: 6,
          },
        ],
        series: [
          {},
          { label: "capacity", stroke: ink.muted, width: 1, dash: [3, 3], points: { show: false }, paths: uPlot.paths.stepped!({ align: 1 }) },
          { label: "after", stroke: ink.muted, width: 2, spanGaps: true, points: { show: false } },
          { label: "used", stroke: ink.accent, width: 1.2, points: { show: false } },
        ],
        hooks: {
          setSelect: [
            (it) => {
              if (it.select.width < 4) return;
              const [from, to] = [it.select.left, it.select.left + it.select.width].map((x) => it.posToVal(x, "x") * 1_000);
              it.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
              setRange(app, from!, to!);
            },
          ],
          setCursor: [(it) => void (readout.current!.textContent = textAt(it.cursor.idx))],
        },
      };
    }
    function textAt(index: number | null | undefined): string {
      const entry = index === null || index === undefined ? undefined : shown.current[Math.floor(index / 2)];
      if (!entry) return "";
      const [ms, before, after, room] = entry;
      const of = room === null ? "" : ` of ${bytes(room)}`;
      return `${timeOfDay(ms * 1_000, app.view.value.zone, app.clock)} · ${bytes(before)} → ${bytes(after)}${of}`;
    }
    const watcher = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
    watcher.observe(place);
    const stop = app.view.watch((now, before) => {
      if (now.repaint !== before.repaint || now.theme !== before.theme) {
        plot.destroy();
        plot = make(place);
      } else if (now.fromUs !== before.fromUs || now.toUs !== before.toUs) {
        plot.setScale("x", { min: now.fromUs / 1_000, max: now.toUs / 1_000 });
      }
    });
    return () => {
      stop();
      watcher.disconnect();
      plot.destroy();
    };
  }, []);
  // Live, more comes.
  useEffect(() => {
    if (shown.current === series) return;
    shown.current = series;
    drawn.current?.setData(sawtooth(series));
  }, [series]);
  const most = series.reduce((most, [, before, after]) => Math.max(most, before, after), 0);
  return (
    <figure class="heap">
      <figcaption>
        Heap <span class="key used">used</span> <span class="key after">after collections</span>{" "}
        {series.some((it) => it[3] !== null && it[3] > 0) && <span class="key capacity">capacity</span>} <span class="readout" ref={readout} />
      </figcaption>
      <div ref={holder} role="img" aria-label={`Heap used over time, at most ${bytes(most)}${app.live ? "" : "; the numbers are in the section on memory"}`} />
    </figure>
  );
}
