// The wheel over a picture: zooms at the pointer, or moves sideways. A page that is being scrolled and passes
// under the pointer scrolls on: what a turn of the wheel does is decided where it begins.

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A turn ends when the wheel rests for so long. */
const REST_MS = 250;

let lastAt = -Infinity;
let owner: EventTarget | null = null;

function onAnyWheel(event: WheelEvent): void {
  if (event.timeStamp - lastAt > REST_MS) owner = event.target;
  lastAt = event.timeStamp;
}

export interface Turn {
  /** In pixels, never a leap; positive is away, or to later. */
  amount: number;
  isSideways: boolean;
  /** Where the pointer is in the picture. */
  x: number;
}

/** The range becomes so many times as long. */
export const factorOf = (turn: Turn): number => Math.exp(turn.amount / 400);

/** The range moves by so much of its length. */
export const shareOf = (turn: Turn): number => turn.amount / 800;

/** `take` says whether it did anything; if not, the page scrolls. */
export function useWheel(ref: RefObject<HTMLCanvasElement | null>, take: (turn: Turn) => boolean): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const canvas = ref.current!;
    const onWheel = (event: WheelEvent): void => {
      if (owner !== canvas || event.altKey || event.metaKey) return;
      if (latest.current(turnOf(event, canvas))) event.preventDefault();
    };
    document.addEventListener("wheel", onAnyWheel, { capture: true, passive: true });
    canvas.addEventListener("wheel", onWheel, { passive: false });
    return () => canvas.removeEventListener("wheel", onWheel);
  }, []);
}

function turnOf(event: WheelEvent, canvas: HTMLCanvasElement): Turn {
  const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
  const raw = isSideways && event.deltaX !== 0 ? event.deltaX : event.deltaY;
  const pixels = raw * [1, 16, 400][event.deltaMode]!;
  const amount = Math.max(-240, Math.min(240, pixels));
  return { amount, isSideways, x: event.clientX - canvas.getBoundingClientRect().left };
}
