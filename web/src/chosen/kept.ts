// Keeps a block at least as high as it is with the numbers of all pauses: what is beneath it must not move under a
// pointer that zooms it.

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Chosen } from "./sums";

interface Kept {
  ref: RefObject<HTMLDivElement | null>;
  style: { minHeight: string } | undefined;
}

export function useKeptHeight({ isWhole }: Chosen): Kept {
  const ref = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  useEffect(() => {
    if (isWhole && ref.current) height.current = ref.current.offsetHeight;
  });
  return { ref, style: isWhole || height.current === 0 ? undefined : { minHeight: `${height.current}px` } };
}
