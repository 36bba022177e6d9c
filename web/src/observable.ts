// A value that can be watched: what the drawings and the components share, so that neither has to know
// the other.

import { useEffect, useState } from "preact/hooks";

export class Observable<T extends object> {
  private readonly watchers = new Set<(now: T, before: T) => void>();

  constructor(public value: T) {}

  set(change: Partial<T>): void {
    const before = this.value;
    const keys = Object.keys(change) as (keyof T)[];
    if (keys.every((key) => Object.is(before[key], change[key]))) return;
    this.value = { ...before, ...change };
    for (const watcher of [...this.watchers]) watcher(this.value, before);
  }

  watch(watcher: (now: T, before: T) => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }
}

/** Renders the component anew only when what it picks changes: zooming must not render tables. */
export function usePart<T extends object, P>(source: Observable<T>, pick: (value: T) => P): P {
  const [part, setPart] = useState(() => pick(source.value));
  useEffect(() => {
    const update = (): void => setPart(() => pick(source.value));
    update();
    return source.watch(update);
  }, [source]);
  return part;
}
