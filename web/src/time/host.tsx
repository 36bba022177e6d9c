// What the host did, as thin lines beneath the pauses and with the same time axis: each with its own scale.

import { useEffect, useRef, useState } from "preact/hooks";
import { isAll, pan, useApp, zoom } from "../app";
import { FONT, useCanvas } from "../canvas";
import { timeOfDay } from "../clock";
import { bytes, count, duration } from "../format";
import type { HostLine } from "../model";
import { type Ink, readInk } from "../palette";
import { lowerBound } from "../store";
import { factorOf, shareOf, useWheel } from "../wheel";
import { line } from "./draw";
import { GUTTER, type Plane, RIGHT, usOf, xOf } from "./plane";

const ROW = 46;
const LABEL = 15;
const FOOT = 4;

const NAME: Record<HostLine["kind"], string> = {
  dirty_bytes: "dirty and writeback pages",
  dirty_pages: "dirty and writeback pages",
  throttled: "CPU throttled",
  available: "memory available",
};

/** The value with its unit: a rate of throttled time is a time for each second. */
export function hostValue(kind: HostLine["kind"], value: number): string {
  if (kind === "dirty_pages") return `${count(value)} pages`;
  return kind === "throttled" ? `${duration(value / 1_000)} per s` : bytes(value);
}

/** The same, short enough for the axis. */
function axisValue(kind: HostLine["kind"], value: number): string {
  if (kind === "throttled") return `${duration(value / 1_000)}/s`;
  if (kind === "dirty_pages") return count(value);
  return bytes(value).replace(/^(\d{2,})\.\d/, "$1");
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
function rangeText({ line: { kind }, low, high }: Row): string {
  const [from, to] = [hostValue(kind, low), hostValue(kind, high)];
  return `${NAME[kind]}: ${from === to ? `${to} throughout` : low === 0 ? `up to ${to}` : `${from} to ${to}`}`;
}

/** The reading that holds at a time: the last one before it. */
function readingAt(row: Row, us: number): number | null {
  const next = lowerBound(row.us, us, 0, row.us.length);
  const at = row.us[next] === us ? next : next - 1;
  return at < 0 ? null : row.line.value[at]!;
}

export function HostLines({ lines }: { lines: HostLine[] }) {
  const app = useApp();
  const rows = useRef(lines.map(rowOf)).current;
  const plane = useRef<Plane | null>(null);
  const [atUs, setAt] = useState<number | null>(null);
  const { ref, redraw } = useCanvas((ctx, width, height) => {
    const { fromUs, toUs } = app.view.value;
    const now = (plane.current = { left: GUTTER, width: Math.max(10, width - GUTTER - RIGHT), top: 0, height, fromUs, toUs, isLog: false, lowUs: 0, highUs: 1 });
    const ink = readInk();
    rows.forEach((row, index) => drawRow(ctx, now, row, index * ROW, ink));
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
        style={{ height: `${rows.length * ROW + FOOT}px` }}
        onPointerMove={onMove}
        onPointerLeave={() => setAt(null)}
      />
    </details>
  );
}

function readingText(row: Row, us: number): string {
  const value = readingAt(row, us);
  return `${NAME[row.line.kind]} ${value === null ? "not read yet" : hostValue(row.line.kind, value)}`;
}

function drawRow(ctx: CanvasRenderingContext2D, plane: Plane, { line: it, us, high }: Row, top: number, ink: Ink): void {
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
  drawLabels(ctx, plane, NAME[it.kind], axisValue(it.kind, high), top, ceiling, foot, ink);
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
