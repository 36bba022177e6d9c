// The selected pause, the range and the filter in the address, as `#pause=12&from=…&to=…&kind=f&min=50000` with
// times in microseconds, so that a link to what is seen can be sent; `#stall=3` where an episode of stalls is open.

import { type App, isAll, openStall, select, setRange } from "./app";
import { filterFields, filterOf } from "./chosen/filter";

/** Browsers slow pages down that change the address with each frame. */
const QUIET_MS = 250;

/** What of the view is in the address. */
const WRITTEN = ["selected", "stall", "fromUs", "toUs", "filter", "isForAll", "colours"] as const;

export function followAddress(app: App): void {
  read(app);
  addEventListener("hashchange", () => read(app));
  let timer = 0;
  app.view.watch((now, before) => {
    if (WRITTEN.every((part) => now[part] === before[part])) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => write(app), QUIET_MS);
  });
}

/** The address as this page last wrote or read it. */
let known = "";

function read(app: App): void {
  known = location.hash;
  const fields = new URLSearchParams(location.hash.slice(1));
  const number = (name: string): number | null => {
    const text = fields.get(name);
    return text === null || !/^\d+$/.test(text) ? null : Number(text);
  };
  const [pause, stall, from, to] = [number("pause"), number("stall"), number("from"), number("to")];
  app.view.set({ filter: filterOf(fields), isForAll: fields.get("of") === "all", colours: fields.get("by") === "kind" ? "kind" : "cause" });
  if (from !== null && to !== null && from < to) setRange(app, from, to);
  if (pause !== null && pause < app.store.count) select(app, pause);
  const episode = stall === null ? undefined : app.stalls.episodes[stall];
  if (episode) openStall(app, episode);
}

function write(app: App): void {
  // Someone changed it this moment, which is yet to be read.
  if (location.hash !== known) return;
  const { fromUs, toUs, selected, stall, filter, isForAll, colours } = app.view.value;
  const opened: Record<string, string> = stall ? { stall: String(app.stalls.episodes.indexOf(stall)) } : { pause: String(selected) };
  const fields = new URLSearchParams(opened);
  if (!isAll(app.view.value, app.store)) {
    fields.set("from", String(Math.floor(fromUs)));
    fields.set("to", String(Math.ceil(toUs)));
  }
  for (const [name, value] of filterFields(filter)) fields.set(name, value);
  if (isForAll) fields.set("of", "all");
  if (colours === "kind") fields.set("by", "kind");
  try {
    history.replaceState(null, "", `#${fields}`);
    known = location.hash;
  } catch {
    // Some browsers forbid it for pages opened from a disk.
  }
}
