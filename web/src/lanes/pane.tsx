// One pane of lanes: the names of the threads and the picture beside them. The zoomable pane takes wheel,
// drag and keys; the pane of the whole shows which part the other one holds.

import { useMemo, useRef } from "preact/hooks";
import { useApp } from "../app";
import { useCanvas } from "../canvas";
import { duration } from "../format";
import { usePart } from "../observable";
import { readInk } from "../palette";
import { beginning } from "../parts/text";
import { factorOf, shareOf, useWheel } from "../wheel";
import type { Range } from "./dense";
import { type Frame, type Shown, type Slice, accountName, blockedClasses, frameUs, frameX, pictureHeight, pictureShapes, sliceAt } from "./picture";
import { type Shape, paintShapes } from "./shapes";

const SHORTEST_US = 1;

interface Props {
  id: string;
  label: string;
  opened: Shown;
  lengthUs: number;
  range: Range;
  /** What the other pane shows, to be marked here. */
  inner?: Range;
  /** Whether the names have more room. */
  isWide: boolean;
  selected: Slice | null;
  onSelect: (slice: Slice | null) => void;
  onRange: (range: Range) => void;
}

/** Zooms a range about a time and keeps it in the pause. */
export function zoomed([from, to]: Range, factor: number, at: number, lengthUs: number): Range {
  const width = Math.min(lengthUs, Math.max(SHORTEST_US, (to - from) * factor));
  return kept(at - (at - from) * (width / (to - from)), width, lengthUs);
}

export function kept(from: number, width: number, lengthUs: number): Range {
  const start = Math.min(Math.max(0, from), lengthUs - width);
  return [start, start + width];
}

export function Pane({ id, label, opened, lengthUs, range, inner, isWide, selected, onSelect, onRange }: Props) {
  const app = useApp();
  usePart(app.view, (it) => it.repaint);
  const frame = useRef<Frame>({ left: 0, width: 1, fromUs: 0, toUs: 1 });
  const press = useRef<{ x: number; range: Range; hasMoved: boolean } | null>(null);
  const classes = useMemo(() => blockedClasses(opened, app.page.causes), [opened]);
  const { ref } = useCanvas((ctx, width) => {
    const now = (frame.current = { left: 1, width: width - 2, fromUs: range[0], toUs: range[1] });
    const ink = readInk();
    const shapes = pictureShapes(opened, now, { causes: app.page.causes, classes, ink, selected, lengthUs, hasArrows: !inner });
    paintShapes(ctx, inner ? [...shapes, ...innerShapes(now, inner, opened.lanes.length, ink.accent)] : shapes, devicePixelRatio);
  });
  // The zoomed pane moves itself; on the pane of the whole the same gestures move the other one.
  const moved = inner ?? range;
  useWheel(ref, (turn) => {
    const width = moved[1] - moved[0];
    if (turn.isSideways) onRange(kept(moved[0] + shareOf(turn) * width, width, lengthUs));
    else if (turn.amount > 0 && width >= lengthUs) return false;
    else onRange(zoomed(moved, factorOf(turn), frameUs(frame.current, turn.x), lengthUs));
    return true;
  });

  const placeOf = (event: PointerEvent): [number, number] => {
    const box = ref.current!.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const onDown = (event: PointerEvent): void => {
    ref.current!.setPointerCapture(event.pointerId);
    press.current = { x: placeOf(event)[0], range: moved, hasMoved: false };
  };
  const onMove = (event: PointerEvent): void => {
    const held = press.current;
    const [x, y] = placeOf(event);
    if (!held) {
      const slice = sliceAt(opened, frame.current, x, y);
      ref.current!.title = slice ? titleOf(opened, slice) : "";
      return;
    }
    held.hasMoved ||= Math.abs(x - held.x) > 3;
    if (!held.hasMoved) return;
    const by = ((x - held.x) / frame.current.width) * (frame.current.toUs - frame.current.fromUs);
    // The content follows the pointer; on the pane of the whole it is the mark that does.
    onRange(kept(held.range[0] + (inner ? by : -by), held.range[1] - held.range[0], lengthUs));
  };
  const onUp = (event: PointerEvent): void => {
    if (press.current && !press.current.hasMoved) onSelect(sliceAt(opened, frame.current, ...placeOf(event)));
    press.current = null;
  };
  return (
    <div class={isWide ? "lanes wide" : "lanes"}>
      <LaneNames opened={opened} />
      <canvas
        ref={ref}
        id={id}
        class="lanes-canvas"
        tabIndex={0}
        role="application"
        aria-label={`${label}: ${opened.lanes.length} threads over ${duration(range[1] - range[0])}. Arrow keys: next slice, next thread. W and S: zoom. A and D: move.`}
        data-from={range[0]}
        data-to={range[1]}
        style={{ height: `${pictureHeight(opened.lanes.length)}px` }}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={() => (press.current = null)}
        onKeyDown={(event) => onKey(event)}
      />
    </div>
  );

  function onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const width = moved[1] - moved[0];
    const middle = (moved[0] + moved[1]) / 2;
    const actions: Record<string, () => void> = {
      w: () => onRange(zoomed(moved, 0.7, middle, lengthUs)),
      s: () => onRange(zoomed(moved, 1 / 0.7, middle, lengthUs)),
      a: () => onRange(kept(moved[0] - width / 5, width, lengthUs)),
      d: () => onRange(kept(moved[0] + width / 5, width, lengthUs)),
      "0": () => onRange([0, lengthUs]),
      ArrowRight: () => walk(opened, selected, 1, 0, onSelect),
      ArrowLeft: () => walk(opened, selected, -1, 0, onSelect),
      ArrowDown: () => walk(opened, selected, 0, 1, onSelect),
      ArrowUp: () => walk(opened, selected, 0, -1, onSelect),
      Escape: () => onSelect(null),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    action();
    event.preventDefault();
    event.stopPropagation();
  }
}

function titleOf(opened: Shown, slice: Slice): string {
  const lane = opened.lanes[slice.lane]!;
  const span = lane.spans[slice.span]!;
  return `${beginning(lane.name, 200)} · ${span.state} ${duration(span.length_us)}`;
}

function innerShapes(frame: Frame, [from, to]: Range, lanes: number, accent: string): Shape[] {
  const x = frameX(frame, from);
  const width = Math.max(3, frameX(frame, to) - x);
  const height = pictureHeight(lanes) - 36;
  return [
    { is: "rect", x, y: 16, width, height, fill: accent, alpha: 0.14 },
    { is: "rect", x: x - 1, y: 16, width: width + 2, height, fill: "none", stroke: accent },
  ];
}

/** The next slice of the thread, or the slice of the next thread at the same time. */
function walk(opened: Shown, from: Slice | null, bySpan: number, byLane: number, onSelect: (slice: Slice) => void): void {
  if (!from) return onSelect({ lane: 0, span: 0 });
  const lane = Math.min(opened.lanes.length - 1, Math.max(0, from.lane + byLane));
  const spans = opened.lanes[lane]!.spans;
  if (byLane === 0) return onSelect({ lane, span: Math.min(spans.length - 1, Math.max(0, from.span + bySpan)) });
  const at = opened.lanes[from.lane]!.spans[from.span];
  const middle = at ? at.start_us + at.length_us / 2 : 0;
  const span = spans.findIndex((it) => it.start_us + it.length_us > middle);
  onSelect({ lane, span: span < 0 ? Math.max(0, spans.length - 1) : span });
}

function LaneNames({ opened }: { opened: Shown }) {
  return (
    <ul class="lane-names">
      <li>
        <b>{accountName(opened)}</b>
        <span>{opened.stalledFor === undefined ? "who was waited for" : "any of them stood"}</span>
      </li>
      {opened.lanes.map((lane) => (
        <li title={`${lane.name} · ${lane.role} · ${lane.tid}`}>
          <LaneName name={beginning(lane.name, 200)} />
          <span>
            {beginning(lane.role, 60)} · {lane.tid}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** A name that may be cut before its number: `GC Thr…#4`. */
function LaneName({ name }: { name: string }) {
  const number = /[#-]?\d{1,4}$/.exec(name)?.[0] ?? "";
  return (
    <b class="ended">
      <bdi>{name.slice(0, name.length - number.length)}</bdi>
      <bdi>{number}</bdi>
    </b>
  );
}
