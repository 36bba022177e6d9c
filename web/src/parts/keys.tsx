// The keys of the page and the dialog that lists them.

import { useEffect, useRef } from "preact/hooks";
import { type App, type Theme, follow, goTo, openNewest, pan, showAll, step, stepStall, useApp, zoom } from "../app";
import { maskFor } from "../chosen/follow";
import { zonesOf } from "../clock";
import { usePart } from "../observable";

interface Key {
  keys: string[];
  says: string;
  act: (app: App, event: KeyboardEvent) => void;
  isLive?: boolean;
  /** Only where threads stalled. */
  isOfStalls?: boolean;
}

const THEMES: Theme[] = ["system", "light", "dark"];

const COLOURS: App["view"]["value"]["colours"][] = ["cause", "kind"];

function next<T>(all: T[], now: T): T {
  return all[(all.indexOf(now) + 1) % all.length]!;
}

const KEYS: Key[] = [
  { keys: ["ArrowLeft"], says: "previous pause (with Shift: previous long one)", act: (app, event) => step(app, -1, event.shiftKey, maskFor(app)) },
  { keys: ["ArrowRight"], says: "next pause (with Shift: next long one)", act: (app, event) => step(app, 1, event.shiftKey, maskFor(app)) },
  { keys: ["e"], says: "open the next episode of stalls (with Shift: the one before)", act: (app, event) => stepStall(app, event.shiftKey ? -1 : 1), isOfStalls: true },
  { keys: ["w"], says: "zoom in", act: (app) => zoom(app, 0.7) },
  { keys: ["s"], says: "zoom out", act: (app) => zoom(app, 1 / 0.7) },
  { keys: ["a"], says: "move to earlier", act: (app) => pan(app, -0.2) },
  { keys: ["d"], says: "move to later", act: (app) => pan(app, 0.2) },
  { keys: ["0"], says: "the whole run", act: showAll },
  { keys: ["f"], says: "follow the newest on the time line", act: follow, isLive: true },
  { keys: ["n"], says: "open the newest pause, and each that comes", act: openNewest, isLive: true },
  { keys: ["l"], says: "logarithmic or linear lengths", act: ({ view }) => view.set({ isLog: !view.value.isLog }) },
  { keys: ["k"], says: "colours by cause or by kind of collection", act: ({ view }) => view.set({ colours: next(COLOURS, view.value.colours), only: null }) },
  { keys: ["/"], says: "search: only pauses with this text", act: () => document.getElementById("filter-text")?.focus() },
  { keys: ["r"], says: "numbers of the range that is shown, or of all", act: ({ view }) => view.set({ isForAll: !view.value.isForAll }) },
  { keys: ["p"], says: "go to what is opened", act: () => goTo("pause") },
  { keys: ["t"], says: "go to the time line", act: () => goTo("timeline") },
  { keys: ["c"], says: "go to the causes", act: () => goTo("causes") },
  { keys: ["z"], says: "next time zone", act: ({ view, clock }) => view.set({ zone: next(zonesOf(clock), view.value.zone) }) },
  { keys: ["m"], says: "next theme", act: ({ view }) => view.set({ theme: next(THEMES, view.value.theme) }) },
  { keys: ["?"], says: "this list", act: ({ view }) => view.set({ areKeysOpen: true }) },
];

const keysOf = (app: App): Key[] => KEYS.filter((it) => (!it.isLive || app.live !== null) && (!it.isOfStalls || app.stalls.episodes.length > 0));

const SHOWN: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→" };

/** Keys belong to the page, except where someone types, chooses or scrolls. */
export function listenToKeys(app: App): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || app.view.value.areKeysOpen) return;
    const target = event.target as Element | null;
    if (target?.closest("input, select, textarea, [contenteditable]")) return;
    if (event.key.startsWith("Arrow") && target?.closest(".scroll")) return;
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const key = keysOf(app).find((it) => it.keys.includes(pressed));
    if (!key) return;
    event.preventDefault();
    key.act(app, event);
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

export function KeysDialog() {
  const app = useApp();
  const { view } = app;
  const isOpen = usePart(view, (it) => it.areKeysOpen);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current!.showModal();
    else dialog.current!.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={() => view.set({ areKeysOpen: false })}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keysOf(app).map((key) => (
          <div>
            <dt>
              {key.keys.map((it) => (
                <kbd>{SHOWN[it] ?? it.toUpperCase()}</kbd>
              ))}
            </dt>
            <dd>{key.says}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd>
          </dt>
          <dd>with the lanes in focus: thread above, below; ← → are its slices</dd>
        </div>
      </dl>
      <p class="hint">Drag selects a range, with Shift it moves; the wheel zooms at the pointer, with Shift it moves.</p>
      <p class="close">
        <button type="button" onClick={() => view.set({ areKeysOpen: false })}>
          close
        </button>
      </p>
    </dialog>
  );
}
