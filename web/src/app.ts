// What the whole page shares: the data, the clock, and the view (range, selection, theme), with the few
// operations that change it. Components and drawings watch `view`; none of them talks to another.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Clock, type Zone, clockOf, zonesOf } from "./clock";
import { type Choice, createChoice } from "./chosen/choice";
import { type Filter, NO_FILTER } from "./chosen/filter";
import type { HostLine, Memory, Opened, Page } from "./model";
import { Observable } from "./observable";
import type { Group } from "./palette";
import type { Live } from "./live/feed";
import { type Episode, type StallStore, createStalls, largestOf, neighbour } from "./stalls/store";
import { type Store, createStore, longestIn } from "./store";

export type Theme = "system" | "light" | "dark";

export interface View {
  fromUs: number;
  toUs: number;
  /** Index of the pause that is open; -1 where there is none. */
  selected: number;
  /** The episode of stalls that is open in place of a pause. */
  stall: Episode | null;
  /** Live: the range moves on with the newest, until someone moves it. */
  isFollowing: boolean;
  /** Live: each new pause is opened, until someone opens one. */
  isNewest: boolean;
  isLog: boolean;
  /** What the bars of the time line are coloured by. */
  colours: "cause" | "kind";
  /** The class or the kind of collection that stands out while the others are dimmed. */
  only: Group | null;
  /** Which pauses are shown and counted at all. */
  filter: Filter;
  /** Whether numbers are of all of the run, also where a part of it is shown. */
  isForAll: boolean;
  zone: Zone;
  theme: Theme;
  areKeysOpen: boolean;
  /** Rises when the same picture has to be drawn in other colours. */
  repaint: number;
}

export interface App {
  page: Page;
  store: Store;
  clock: Clock;
  view: Observable<View>;
  opened: Map<number, Opened>;
  /** Threads that stood while the JVM ran. */
  stalls: StallStore;
  /** Changes as the store does, but at most once a second where pauses come in live; for what is read, not seen
   * at a glance. */
  calm: Observable<{ batches: number; second: number }>;
  /** Which pauses the range and the filter choose, and their sums. */
  choice: Choice;
  /** The heap and the host. Live, another one as readings come. */
  beneath: Beneath;
  /** What only a page that is fed live has. */
  live: Live | null;
}

/** What is drawn beneath the pauses, with the same time axis. */
export interface Beneath {
  host: HostLine[];
  heap: Memory["series"];
}

/** No range is shorter: pauses are known to the microsecond. */
const SHORTEST_RANGE_US = 100;

export function createApp(page: Page, live: Live | null = null): App {
  const store = createStore(page.pauses, page.causes);
  const stalls = createStalls(page.stalls);
  const largest = largestOf(stalls);
  // As in the verdict: what stood longer than any pause comes first.
  const stall = largest && largest.longest_us > store.longestUs ? largest : null;
  const clock = clockOf(page.pauses, live ? "host" : "log");
  const view = new Observable<View>({
    fromUs: 0,
    toUs: Math.max(store.endUs, SHORTEST_RANGE_US),
    selected: store.count > 0 ? longestIn(store, 0, store.count) : -1,
    stall,
    isFollowing: true,
    isNewest: live !== null,
    isLog: true,
    colours: "cause",
    only: null,
    filter: NO_FILTER,
    isForAll: false,
    zone: zonesOf(clock)[0]!,
    theme: "system",
    areKeysOpen: false,
    repaint: 0,
  });
  const opened = new Map(page.opened.map((it) => [it.pause, it]));
  const calm = new Observable({ batches: 0, second: 0 });
  const beneath = { host: page.host, heap: page.numbers.memory?.series ?? [] };
  return { page, store, clock, view, opened, stalls, calm, choice: createChoice(store), beneath, live };
}

const Context = createContext<App | null>(null);
export const AppProvider = Context.Provider;

export function useApp(): App {
  const app = useContext(Context);
  if (!app) throw new Error("no app around this component");
  return app;
}

export function setRange(app: App, fromUs: number, toUs: number): void {
  const { beginUs, endUs } = app.store;
  const span = Math.max(endUs - beginUs, SHORTEST_RANGE_US);
  const width = Math.min(span, Math.max(SHORTEST_RANGE_US, toUs - fromUs));
  const middle = (fromUs + toUs) / 2;
  const from = Math.min(Math.max(beginUs, toUs - fromUs < width ? middle - width / 2 : fromUs), beginUs + span - width);
  app.view.set({ fromUs: from, toUs: from + width, isFollowing: width >= span });
}

/** Makes the range `factor` times as long; what is at `atUs` stays where it is. */
export function zoom(app: App, factor: number, atUs?: number): void {
  const { fromUs, toUs } = app.view.value;
  const at = atUs ?? (fromUs + toUs) / 2;
  const width = Math.max(SHORTEST_RANGE_US, (toUs - fromUs) * factor);
  const from = at - (at - fromUs) * (width / (toUs - fromUs));
  setRange(app, from, from + width);
}

export function pan(app: App, share: number): void {
  const { fromUs, toUs } = app.view.value;
  const by = (toUs - fromUs) * share;
  setRange(app, fromUs + by, toUs + by);
}

export function showAll(app: App): void {
  setRange(app, app.store.beginUs, app.store.endUs);
}

export function isAll(view: View, { beginUs, endUs }: Store): boolean {
  return view.toUs - view.fromUs >= endUs - beginUs;
}

/** Live: back to the end of the time line, and on with it. */
export function follow(app: App): void {
  const { fromUs, toUs } = app.view.value;
  const { endUs } = app.store;
  app.view.set({ fromUs: endUs - (toUs - fromUs), toUs: endUs, isFollowing: true });
}

/** Live: back to the newest pause, and on with each that comes. */
export function openNewest(app: App): void {
  app.view.set({ selected: app.store.count - 1, stall: null, isNewest: true });
}

/** Opens a pause and moves the range so that it is seen. */
export function select(app: App, index: number): void {
  const { store, view } = app;
  if (index < 0 || index >= store.count) return;
  bringIntoRange(app, store.startUs[index]!, store.startUs[index]! + store.lengthUs[index]!);
  view.set({ selected: index, stall: null, isNewest: false });
}

/** Opens an episode of stalls in place of the pause, as `select` does with a pause. */
export function openStall(app: App, stall: Episode): void {
  bringIntoRange(app, stall.startUs, stall.endUs);
  app.view.set({ stall, isNewest: false });
}

/** The next episode of stalls in that direction. */
export function stepStall(app: App, direction: 1 | -1): void {
  const next = neighbour(app.stalls, app.view.value.stall, direction);
  if (next) openStall(app, next);
}

function bringIntoRange(app: App, start: number, end: number): void {
  const { fromUs, toUs } = app.view.value;
  if (start >= fromUs && end <= toUs) return;
  const width = Math.max(toUs - fromUs, (end - start) * 1.5);
  const middle = (start + end) / 2;
  setRange(app, middle - width / 2, middle + width / 2);
}

/** The next pause in that direction of those that `mask` lets through; with `isLong` the next one over the limit. */
export function step(app: App, direction: 1 | -1, isLong: boolean, mask: Uint8Array | null): void {
  const { store, view } = app;
  const isPassed = (index: number): boolean => (isLong && store.lengthUs[index]! < store.limitUs) || (mask !== null && !mask[index]);
  let index = view.value.selected + direction;
  while (index >= 0 && index < store.count && isPassed(index)) index += direction;
  select(app, index);
}

/** Brings a part of the page into sight. */
export function goTo(id: string): void {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  document.getElementById(id)?.scrollIntoView({ behavior: isCalm ? "auto" : "smooth", block: "start" });
}

/** So much of what was opened is in sight, at least. */
const SEEN = 0.5;

/** Brings what was opened into sight, after it was drawn, unless its beginning is there already. */
export function goToOpened(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const top = document.getElementById("pause")?.getBoundingClientRect().top ?? 0;
      if (top < 0 || top > innerHeight * SEEN) goTo("pause");
    }),
  );
}
