// A canvas that draws itself at most once per frame, at the resolution of the screen, anew when its size
// changes, and at once before printing.

import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { beginning } from "./parts/text";

export type Draw = (ctx: CanvasRenderingContext2D, width: number, height: number) => void;

/** All canvases of the page, for printing. */
const all = new Set<() => void>();

export function drawAllNow(): void {
  for (const draw of all) draw();
}

/** Gives the reference for the element and a function that asks for a new drawing. */
export function useCanvas(draw: Draw): { ref: RefObject<HTMLCanvasElement | null>; redraw: () => void } {
  const ref = useRef<HTMLCanvasElement>(null);
  const latest = useRef(draw);
  latest.current = draw;
  const { redraw, now } = useMemo(() => {
    let request = 0;
    const now = (): void => {
      request = 0;
      if (ref.current) paint(ref.current, latest.current);
    };
    return { now, redraw: (): void => void (request ||= requestAnimationFrame(now)) };
  }, []);
  useEffect(() => {
    const canvas = ref.current;
    if (!canvas) return;
    const watcher = new ResizeObserver(now);
    watcher.observe(canvas);
    all.add(now);
    return () => {
      watcher.disconnect();
      all.delete(now);
    };
  }, []);
  // What the component was rendered with may have changed.
  useEffect(redraw);
  return { ref, redraw };
}

function paint(canvas: HTMLCanvasElement, draw: Draw): void {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const ratio = Math.max(1, devicePixelRatio || 1);
  const ctx = canvas.getContext("2d");
  if (!ctx || width === 0 || height === 0) return;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  ctx.setTransform(wide / width, 0, 0, high / height, 0, 0);
  ctx.clearRect(0, 0, width, height);
  draw(ctx, width, height);
}

export const FONT = '11px system-ui, "Segoe UI", Roboto, sans-serif';

/** The text, cut so that it fits; empty where not even a few characters do. */
export function fitted(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  if (width < 24) return "";
  // Nothing longer could fit, and measuring 10,000 characters takes time.
  let shown = beginning(text, Math.ceil(width / 2));
  if (shown.length === text.length && ctx.measureText(text).width <= width) return text;
  while (shown.length > 2 && ctx.measureText(`${shown}…`).width > width) {
    shown = beginning(shown, Math.min(shown.length - 1, Math.floor(shown.length * 0.95)));
  }
  return shown.length > 2 ? `${shown}…` : "";
}
