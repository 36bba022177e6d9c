// What the host did, as thin lines beneath the pauses and with the same time axis: each with its own scale.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isAll, pan, useApp, zoom } from "../app";
import { FONT, fitted, useCanvas } from "../canvas";
import { timeOfDay } from "../clock";
import { bytes, count, percent } from "../format";
import type { HostKind, HostLine } from "../model";
import { type Ink, readInk } from "../palette";
import { lowerBound } from "../store";
import { factorOf, shareOf, useWheel } from "../wheel";
import { line } from "./draw";
import { GUTTER, type Plane, RIGHT, usOf, xOf } from "./plane";

const ROW = 46;
const LABEL = 15;
const FOOT = 4;

const NAME: Record<HostKind, string> = {
  dirty_bytes: "dirty and writeback pages",
  dirty_pages: "dirty and writeback pages",
  disk_busy: "busy",
  pressure_io: "tasks waited for I/O (PSI some)",
  throttled: "CPU throttled",
  cpu_used: "CPU used by the JVM's group",
  pressure_cpu: "tasks waited for a CPU (PSI some)",
  steal: "CPU steal",
  swap_in: "swap-in",
  swap_out: "swap-out",
  major_faults: "major page faults",
  pressure_memory: "tasks waited for memory (PSI some)",
  direct_reclaim: "direct reclaim",
  compaction: "direct compaction",
  available: "memory available",
};

const lineName = ({ kind, name }: HostLine): string => (name ? `${name} ${NAME[kind]}` : NAME[kind]);

type Unit = "bytes" | "pages" | "share" | "CPUs" | "pages per s" | "per s";

const UNIT: Record<HostKind, Unit> = {
  dirty_bytes: "bytes",
  dirty_pages: "pages",
  disk_busy: "share",
  pressure_io: "share",
  throttled: "CPUs",
  cpu_used: "CPUs",
  pressure_cpu: "share",
  steal: "CPUs",
  swap_in: "pages per s",
  swap_out: "pages per s",
  major_faults: "per s",
  pressure_memory: "share",
  direct_reclaim: "pages per s",
  compaction: "per s",
  available: "bytes",
};

/** The value with its unit. A time for each second is a share of it, or of CPUs their number. */
export function hostValue(kind: HostKind, value: number): string {
  const unit = UNIT[kind];
  if (unit === "bytes") return bytes(value);
  if (unit === "share") return percent(value / 1e9);
  if (unit === "CPUs") return `${(value / 1e9).toFixed(2)} CPUs`;
  return `${count(value)} ${unit}`;
}

/** The same, short enough for the axis. */
function axisValue(kind: HostKind, value: number): string {
  const unit = UNIT[kind];
  if (unit === "bytes") return bytes(value).replace(/^(\d{2,})\.\d/, "$1");
  if (unit === "share") return percent(value / 1e9);
  if (unit === "CPUs") return (value / 1e9).toFixed(2);
  const short = value < 10_000 ? count(value) : `${count(value / 1_000)}k`;
  return unit === "pages" ? short : `${short}/s`;
}

interface Row {
  line: HostLine;
  us: Float64Array;
  low: number;
  high: number;
}

function rowOf(it: HostLine): Row {
  return { line: it, us: Float64Array.from(it.at_ms, (ms) => ms * 1_000), low: it.value.reduce((a, b) => Math.min(a, b)), high: it.value.reduce((a, b) => Math.max(a, b)) };
}

/** `dirty and writeback pages: 0 B to 126 MiB`. */
function rangeText({ line: it, low, high }: Row): string {
  const [from, to] = [hostValue(it.kind, low), hostValue(it.kind, high)];
  return `${lineName(it)}: ${from === to ? `${to} throughout` : low === 0 ? `up to ${to}` : `${from} to ${to}`}`;
}

/** The reading that holds at a time: the last one before it. */
function readingAt(row: Row, us: number): number | null {
  const next = lowerBound(row.us, us, 0, row.us.length);
  const at = row.us[next] === us ? next : next - 1;
  return at < 0 ? null : row.line.value[at]!;
}

/** Where none is worth a place, the first two are better than an empty panel. */
const shownFirst = (lines: HostLine[]): HostLine[] => (lines.some((it) => it.is_shown) ? lines.filter((it) => it.is_shown) : lines.slice(0, 2));

export function HostLines({ lines }: { lines: HostLine[] }) {
  const app = useApp();
  const [hasAll, setAll] = useState(false);
  const rows = useMemo(() => (hasAll ? lines : shownFirst(lines)).map(rowOf), [lines, hasAll]);
  const hidden = lines.length - shownFirst(lines).length;
  const plane = useRef<Plane | null>(null);
  const [atUs, setAt] = useState<number | null>(null);
  const { ref, redraw } = useCanvas((ctx, width, height) => {
    const { fromUs, toUs } = app.view.value;
    const now = (plane.current = { left: GUTTER, width: Math.max(10, width - GUTTER - RIGHT), top: 0, height, fromUs, toUs, isLog: false, lowUs: 0, highUs: 1 });
    const ink = readInk();
    rows.forEach((row, index) => drawRow(ctx, now, row, index * ROW, app.store.endUs, app.live !== null, ink));
    if (atUs === null || atUs < fromUs || atUs > toUs) return;
    line(ctx, ink.muted, xOf(now, atUs), 0, xOf(now, atUs), height);
  });
  useEffect(() => app.view.watch(redraw), []);
  useWheel(ref, (turn) => {
    if (!plane.current || (!turn.isSideways && turn.amount > 0 && isAll(app.view.value, app.store))) return false;
    if (turn.isSideways) pan(app, shareOf(turn));
    else zoom(app, factorOf(turn), usOf(plane.current, turn.x));
    return true;
  });
  const onMove = (event: PointerEvent): void => {
    const now = plane.current;
    if (now) setAt(Math.min(now.toUs, Math.max(now.fromUs, usOf(now, event.clientX - ref.current!.getBoundingClientRect().left))));
  };
  return (
    <details class="beneath host" open>
      <summary>
        Host{" "}
        <span class="muted">
          {atUs === null ? rows.map(rangeText).join(" · ") : `${timeOfDay(atUs, app.view.value.zone, app.clock)} · ${rows.map((it) => readingText(it, atUs)).join(" · ")}`}
        </span>
      </summary>
      <canvas
        ref={ref}
        class="host-lines"
        role="img"
        aria-label={`Over time, ${rows.map(rangeText).join("; ")}`}
        data-lines={rows.length}
        data-readings={rows.reduce((sum, it) => sum + it.us.length, 0)}
        style={{ height: `${rows.length * ROW + FOOT}px` }}
        onPointerMove={onMove}
        onPointerLeave={() => setAt(null)}
      />
      {hidden > 0 && (
        <button type="button" class="link all-lines" aria-expanded={hasAll} onClick={() => setAll(!hasAll)}>
          {hasAll ? "fewer lines" : `all ${lines.length} lines of the host`}
        </button>
      )}
    </details>
  );
}

function readingText(row: Row, us: number): string {
  const value = readingAt(row, us);
  return `${lineName(row.line)} ${value === null ? "not read yet" : hostValue(row.line.kind, value)}`;
}

/** Readings are a second apart: a line that ends earlier before the end of the run had none after that. */
const LATE_US = 1.2e6;
/** Live they also take their time to come, and on a host that is slow to answer they are ten seconds apart. */
const LATE_LIVE_US = 15e6;

/** Whether the readings end before the run does. */
export const isCutShort = (lastUs: number, endUs: number, isLive: boolean): boolean => endUs - lastUs >= (isLive ? LATE_LIVE_US : LATE_US);

/** Where the readings end before the run does: a line that just stopped would look like a fault of the picture. */
function drawEnd(ctx: CanvasRenderingContext2D, plane: Plane, lastUs: number, ceiling: number, foot: number, ink: Ink): void {
  if (lastUs > plane.toUs || lastUs < plane.fromUs) return;
  const x = Math.round(xOf(plane, lastUs)) + 0.5;
  ctx.setLineDash([2, 3]);
  line(ctx, ink.muted, x, ceiling, x, foot);
  ctx.setLineDash([]);
  ctx.font = FONT;
  ctx.fillStyle = ink.muted;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.fillText(fitted(ctx, "last reading; counters are read once a second", plane.left + plane.width - x - 6), x + 5, (ceiling + foot) / 2);
}

function drawRow(ctx: CanvasRenderingContext2D, plane: Plane, { line: it, us, high }: Row, top: number, endUs: number, isLive: boolean, ink: Ink): void {
  const [ceiling, foot] = [top + LABEL, Math.round(top + ROW - 4) + 0.5];
  const yOf = (value: number): number => foot - (value / (high || 1)) * (foot - ceiling);
  line(ctx, ink.line, plane.left, foot, plane.left + plane.width, foot);
  ctx.save();
  ctx.beginPath();
  ctx.rect(plane.left, top, plane.width, ROW);
  ctx.clip();
  ctx.strokeStyle = ink.accent;
  ctx.lineWidth = 1.3;
  ctx.beginPath();
  let [begin, end] = [plane.left, plane.left];
  // From the reading before the range to the one behind it.
  const first = Math.max(0, lowerBound(us, plane.fromUs, 0, us.length) - 1);
  for (let i = first; i < us.length; i++) {
    const [x, y] = [xOf(plane, us[i]!), yOf(it.value[i]!)];
    if (i === first) begin = x;
    ctx.lineTo(x, y);
    end = x;
    if (us[i]! > plane.toUs) break;
  }
  ctx.stroke();
  ctx.lineTo(end, foot);
  ctx.lineTo(begin, foot);
  ctx.globalAlpha = 0.12;
  ctx.fillStyle = ink.accent;
  ctx.fill();
  ctx.restore();
  const lastUs = us[us.length - 1]!;
  if (isCutShort(lastUs, endUs, isLive)) drawEnd(ctx, plane, lastUs, ceiling, foot, ink);
  drawLabels(ctx, plane, lineName(it), axisValue(it.kind, high), top, ceiling, foot, ink);
}

function drawLabels(ctx: CanvasRenderingContext2D, plane: Plane, name: string, high: string, top: number, ceiling: number, foot: number, ink: Ink): void {
  ctx.font = FONT;
  ctx.fillStyle = ink.muted;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.fillText(name, plane.left, top + 7);
  ctx.textAlign = "right";
  ctx.fillText("0", plane.left - 6, foot - 2);
  ctx.fillText(high, plane.left - 6, ceiling);
}
