// The choice of the theme, and printing: the same in the bar of every page.

import type { Theme } from "../app";
import { type Observable, usePart } from "../observable";

const THEMES: Theme[] = ["system", "light", "dark"];

export function ThemeAndPrint<T extends { theme: Theme }>({ view }: { view: Observable<T> }) {
  const theme = usePart(view, (it) => it.theme);
  return (
    <>
      <label>
        <span class="hidden">theme</span>
        <select value={theme} onChange={(event) => view.set({ theme: event.currentTarget.value as Theme } as Partial<T>)} id="theme">
          {THEMES.map((it) => (
            <option value={it}>{it}</option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => print()}>
        print
      </button>
    </>
  );
}
