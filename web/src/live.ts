// The entry for a page that is fed live: server-sent events `hello`, `pause`, `stall`, `readings` and `end` from `url`.

import { createElement } from "preact";
import { LiveBody, connectionText } from "./live/body";
import { type Connection, type Feed, beginAnew, createFeed, show, take, takeReadings, takeStall, tick } from "./live/feed";
import type { Hello, LiveEnd, LivePause, LiveReadings, LiveStall } from "./model";
import { mount } from "./start";

/** Events that come together are shown together. */
const GATHER_MS = 16;
/** So many are not kept waiting: timers are slow in a tab that nobody sees. */
const MOST_WAITING = 256;
const TICK_MS = 1_000;
/** The browser gives up where the server refuses; it may be back later. */
const AGAIN_MS = 3_000;
/** Where there is no room it is asked less and less often, at last each minute. */
const AGAIN_AT_LAST_MS = 60_000;
/** After `hello` the last hour comes again; later events are new. */
const REPLAY_MS = 2_000;
/** Clocks of two machines differ by more than an event takes to arrive. */
const SKEW_FROM_MS = 10_000;

export function startLive(main: HTMLElement, url: string): void {
  let feed: Feed | null = null;
  let source: EventSource;
  let waiting: (() => void)[] = [];
  let timer = 0;
  let helloAt = 0;
  let againMs = AGAIN_MS;
  let isBeginning = false;
  /** Whether this connection was there before. */
  let wasOpen = false;
  /** What to take off this machine's clock for the watcher's. */
  let skewMs = 0;

  const nowUs = (it: Feed): number => (it.live.state.value.connection === "live" ? (Date.now() - skewMs - it.live.hello.since_wall_ms) * 1_000 : 0);

  const flush = (): void => {
    clearTimeout(timer);
    timer = 0;
    const todo = waiting;
    waiting = [];
    for (const act of todo) act();
    if (!feed) return;
    show(feed, nowUs(feed));
    // A new beginning does not wait for the next second, nor do old pauses where many come at once.
    if (isBeginning || todo.length >= MOST_WAITING) tick(feed, nowUs(feed));
    isBeginning = false;
  };
  const later = (act: () => void): void => {
    waiting.push(act);
    if (waiting.length >= MOST_WAITING) flush();
    else timer ||= window.setTimeout(flush, GATHER_MS);
  };

  const onHello = (hello: Hello): void => {
    helloAt = Date.now();
    if (!feed) {
      feed = createFeed(hello);
      mount(feed.app, main, createElement(LiveBody, {}));
      document.title = `${hello.title} · whypause`;
      const it = feed;
      setInterval(() => tick(it, nowUs(it)), TICK_MS);
    } else if (JSON.stringify(hello) !== JSON.stringify(feed.live.hello)) {
      // Another watch: nothing of this page holds for it.
      return location.reload();
    }
    feed.live.state.set({ connection: "live", why: "" });
    beginAnew(feed);
    isBeginning = true;
  };
  /** What has just come was over at `endMs` by the watcher's clock. */
  const compareClocks = (endMs: number, receivedMs: number): void => {
    const delay = receivedMs - endMs;
    const isNew = receivedMs - helloAt > REPLAY_MS;
    if (delay < skewMs || (isNew && skewMs === 0 && delay > SKEW_FROM_MS)) skewMs = delay;
  };
  const onPause = (event: LivePause, receivedMs: number): void => {
    const { pauses } = event;
    compareClocks((pauses.origin_wall_ms ?? 0) + ((pauses.start_us[0] ?? 0) + (pauses.length_us[0] ?? 0)) / 1_000, receivedMs);
    if (feed) take(feed, event);
  };
  const onReadings = (event: LiveReadings, receivedMs: number): void => {
    if (!feed) return;
    const lastMs = takeReadings(feed, event);
    if (lastMs > 0) compareClocks(feed.live.hello.since_wall_ms + lastMs, receivedMs);
  };
  const setState = (connection: Connection, why: string): void => {
    flush();
    if (feed) return feed.live.state.set({ connection, why });
    // Before the first event there is nothing else to show.
    const text = document.createElement("p");
    text.setAttribute("role", "status");
    text.textContent = connectionText(connection, why);
    main.replaceChildren(text);
  };
  const onEnd = ({ why, next }: LiveEnd): void => {
    source.close();
    setState(next ? "awaiting" : "over", why);
    // By then the process that has ended answers no more, and the one that watches the next JVM will.
    if (next) setTimeout(connect, AGAIN_MS);
  };
  const onError = (): void => {
    setState("lost", "");
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, againMs);
    againMs = Math.min(againMs * 2, AGAIN_AT_LAST_MS);
  };
  /** What comes now ended while nobody was told. */
  const onOpen = (): void => {
    againMs = AGAIN_MS;
    helloAt = Date.now();
    // It was lost, and no hello comes where the page has all before it. A new one begins with a hello, or is told
    // that the next JVM is still awaited.
    if (feed && wasOpen) setState("live", "");
    wasOpen = true;
  };

  function connect(): void {
    wasOpen = false;
    source = new EventSource(url);
    source.addEventListener("hello", ({ data }) => later(() => onHello(JSON.parse(data) as Hello)));
    source.addEventListener("pause", ({ data }) => {
      const receivedMs = Date.now();
      later(() => onPause(JSON.parse(data) as LivePause, receivedMs));
    });
    source.addEventListener("stall", ({ data }) => later(() => feed && takeStall(feed, JSON.parse(data) as LiveStall)));
    source.addEventListener("readings", ({ data }) => {
      const receivedMs = Date.now();
      later(() => onReadings(JSON.parse(data) as LiveReadings, receivedMs));
    });
    source.addEventListener("end", ({ data }) => onEnd(JSON.parse(data) as LiveEnd));
    source.addEventListener("open", onOpen);
    source.addEventListener("error", onError);
  }
  connect();
}
