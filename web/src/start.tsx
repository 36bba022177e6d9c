// Puts the page together from its data. `main.ts` does this for a report in a file; `live.ts` mounts another
// body, of an app that grows.

import { type ComponentChildren, render } from "preact";
import { followAddress } from "./address";
import { type App, AppProvider, createApp, useApp } from "./app";
import { followChoice } from "./chosen/follow";
import { timeOfDay } from "./clock";
import { duration } from "./format";
import { PauseSection } from "./lanes/section";
import type { Page } from "./model";
import { usePart } from "./observable";
import { Causes } from "./parts/causes";
import { KeysDialog, listenToKeys } from "./parts/keys";
import { Measured, Rest } from "./parts/measured";
import { TopBar } from "./parts/topbar";
import { Verdict } from "./parts/verdict";
import { jvmName, lengthText, operationName, partsOf } from "./store";
import { hasCollections } from "./sections";
import { StallsSection } from "./stalls/section";
import { spokenStall } from "./stalls/lanes";
import { GcSection } from "./tables/gc";
import { MemorySection } from "./tables/memory";
import { PausesSection } from "./tables/pauses";
import { followTheme } from "./theme";
import { TimeSection } from "./time/section";

/** Replaces what is in `main` and puts the bar before it. */
export function start(page: Page, main: HTMLElement): App {
  const app = createApp(page);
  mount(app, main, <Body />);
  return app;
}

/** Themes, keys, the bar, and the body in place of what is in `main`. */
export function mount(app: App, main: HTMLElement, body: ComponentChildren): void {
  followTheme(app.view);
  // Live, an index means another pause after a while.
  if (!app.live) followAddress(app);
  followChoice(app);
  listenToKeys(app);
  const bar = document.createElement("header");
  bar.className = "topbar";
  main.before(bar);
  main.replaceChildren();
  render(
    <AppProvider value={app}>
      <TopBar />
    </AppProvider>,
    bar,
  );
  render(
    <AppProvider value={app}>{body}</AppProvider>,
    main,
  );
}

function Body() {
  const { page, store, stalls } = useApp();
  const { gc, memory } = page.numbers;
  const hasPauses = usePart(store.version, () => store.count > 0);
  const hasStalls = stalls.episodes.length > 0;
  return (
    <>
      <Verdict />
      {(hasPauses || hasStalls) && <TimeSection />}
      {(hasPauses || hasStalls) && <PauseSection />}
      {page.answer.findings.length > 0 && <Causes />}
      <Rest />
      {hasStalls && <StallsSection />}
      {hasPauses && <PausesSection />}
      {hasCollections(gc) && <GcSection gc={gc} />}
      {memory && <MemorySection memory={memory} />}
      <Measured />
      <KeysDialog />
      <Spoken />
    </>
  );
}

/** Says which pause is open, for those who do not see the time line. */
export function Spoken() {
  const app = useApp();
  const { store, view, clock, live } = app;
  const pause = usePart(view, (it) => it.selected);
  const stall = usePart(view, (it) => it.stall);
  if (stall) {
    return (
      <p class="hidden" aria-live="polite" id="spoken">
        Stall at {timeOfDay(stall.startUs, view.value.zone, clock)}: {spokenStall(stall)}
      </p>
    );
  }
  if (pause < 0) return null;
  const causes = partsOf(store, pause).slice(0, 2);
  const parts = causes.map((it) => `${duration(it.us)} ${it.cause === null ? "unexplained" : store.causes[it.cause]?.title}`);
  return (
    <p class="hidden" aria-live="polite" id="spoken">
      {/* Live, the index falls as older ones are dropped, which is not worth a word. */}
      {live ? "Pause at" : `Pause ${pause + 1} of ${store.count}:`} {timeOfDay(store.startUs[pause]!, view.value.zone, clock)}, {lengthText(store, pause)},{" "}
      {jvmName(store, pause) && `${jvmName(store, pause).slice(0, 100)}, `}
      {operationName(store, pause).slice(0, 100)}: {parts.join(", ")}
    </p>
  );
}
