// Light, dark, or as the system: kept for the next page, and made light for printing.

import type { Theme } from "./app";
import { drawAllNow } from "./canvas";
import type { Observable } from "./observable";

const KEY = "whypause-theme";

function stored(): Theme {
  try {
    const it = localStorage.getItem(KEY);
    return it === "light" || it === "dark" ? it : "system";
  } catch {
    // Pages opened from a disk may have no storage.
    return "system";
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // As above: then it holds for this page only.
  }
}

function show(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

interface Themed {
  theme: Theme;
  /** Rises when the same picture has to be drawn in other colours. */
  repaint: number;
}

export function followTheme<T extends Themed>(view: Observable<T>): void {
  const repaint = (): void => view.set({ repaint: view.value.repaint + 1 } as Partial<T>);
  view.set({ theme: stored() } as Partial<T>);
  show(view.value.theme);
  view.watch((now, before) => {
    if (now.theme === before.theme) return;
    show(now.theme);
    store(now.theme);
    repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  addEventListener("beforeprint", () => {
    show("light");
    repaint();
    openDetails();
    drawAllNow();
  });
  addEventListener("afterprint", () => {
    show(view.value.theme);
    repaint();
    closeDetails();
  });
}

let openedForPrint: HTMLDetailsElement[] = [];

/** On paper nothing can be unfolded. */
function openDetails(): void {
  openedForPrint = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
  for (const it of openedForPrint) it.open = true;
}

function closeDetails(): void {
  for (const it of openedForPrint) it.open = false;
  openedForPrint = [];
}
