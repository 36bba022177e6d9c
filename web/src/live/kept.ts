// The entry for a page of kept recordings: all events of a live page at once, and no more.

import { createElement } from "preact";
import type { KeptPage } from "../model";
import { mount } from "../start";
import { LiveBody } from "./body";
import { createFeed, take, takeStall, tick } from "./feed";

export function startKept(main: HTMLElement, { hello, pauses, stalls }: KeptPage): void {
  const feed = createFeed(hello);
  const { app, live } = feed;
  live.state.set({ connection: "kept" });
  mount(app, main, createElement(LiveBody, {}));
  document.title = `${hello.title} · whypause`;
  for (const it of stalls) takeStall(feed, it);
  // The longest last, so that it is the line beneath the headline.
  for (const it of [...pauses].sort((a, b) => a.pauses.length_us[0]! - b.pauses.length_us[0]!)) take(feed, it);
  tick(feed, hello.kept_ms * 1_000);
  const { store } = app;
  let longest = store.count - 1;
  for (let i = 0; i < store.count; i++) if (store.lengthUs[i]! > store.lengthUs[longest]!) longest = i;
  if (longest >= 0) app.view.set({ selected: longest, isNewest: false, isFollowing: false });
}
