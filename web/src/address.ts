// The selected pause and the range in the address, as `#pause=12&from=…&to=…` in microseconds, so that a link
// to what is seen can be sent; `#stall=3` where an episode of stalls is open.

import { type App, isAll, openStall, select, setRange } from "./app";

/** Browsers slow pages down that change the address with each frame. */
const QUIET_MS = 250;

export function followAddress(app: App): void {
  read(app);
  addEventListener("hashchange", () => read(app));
  let timer = 0;
  app.view.watch((now, before) => {
    if (now.selected === before.selected && now.stall === before.stall && now.fromUs === before.fromUs && now.toUs === before.toUs) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => write(app), QUIET_MS);
  });
}

function read(app: App): void {
  const fields = new URLSearchParams(location.hash.slice(1));
  const number = (name: string): number | null => {
    const text = fields.get(name);
    return text === null || !/^\d+$/.test(text) ? null : Number(text);
  };
  const [pause, stall, from, to] = [number("pause"), number("stall"), number("from"), number("to")];
  if (from !== null && to !== null && from < to) setRange(app, from, to);
  if (pause !== null && pause < app.store.count) select(app, pause);
  const episode = stall === null ? undefined : app.stalls.episodes[stall];
  if (episode) openStall(app, episode);
}

function write(app: App): void {
  const { fromUs, toUs, selected, stall } = app.view.value;
  const opened: Record<string, string> = stall ? { stall: String(app.stalls.episodes.indexOf(stall)) } : { pause: String(selected) };
  const fields = new URLSearchParams(opened);
  if (!isAll(app.view.value, app.store)) {
    fields.set("from", String(Math.floor(fromUs)));
    fields.set("to", String(Math.ceil(toUs)));
  }
  try {
    history.replaceState(null, "", `#${fields}`);
  } catch {
    // Some browsers forbid it for pages opened from a disk.
  }
}
