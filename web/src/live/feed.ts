// From the events of a live page to what its sections show: pauses go into the store, their causes and opened
// pauses beside it, and what is older than the kept time is dropped. Knows nothing of connections or drawing.

import { type App, createApp, showAll } from "../app";
import type { Answer, Finding, Hello, LivePause, LiveReadings, LiveStall, Opened, Page } from "../model";
import { Observable } from "../observable";
import { type Episode, changed as stallsChanged, episodesOf } from "../stalls/store";
import { add, changed, dropFirst, jvmName, lowerBound, settleLast } from "../store";
import { causeTimes, cardsOf, headlineOf, pauseNumbers } from "./numbers";
import { lastReading, withReadings, withoutOld } from "./readings";

/** More pauses than these are not kept, however young they are. */
const MOST_PAUSES = 200_000;
/** Nor more episodes of stalls, */
const MOST_EPISODES = 1_000;
/** or so many stalls one by one. */
const MOST_MEMBERS = 10_000;
/** An axis of less than this would be made of its beginning. */
const SHORTEST_SPAN_US = 10e6;

/** `kept`: there is none, the page has all that was kept. */
export type Connection = "live" | "lost" | "over" | "awaiting" | "kept";

/** A cause with what its newest pause says of it. */
export interface LiveCause {
  /** The same as long as the cause is there, whatever its rank. */
  key: string;
  cause: number;
  finding: Finding;
  /** Start and length of that pause. */
  startUs: number;
  lengthUs: number;
  /** Whose that is, where there are several JVMs. */
  jvm: string;
}

export interface Live {
  hello: Hello;
  state: Observable<{ connection: Connection; why: string; line: string }>;
  /** Most time first; anew with each `tick`. */
  causes: LiveCause[];
  cards: Answer["cards"];
  /** The answer of the kept time; empty without pauses. Anew with each `tick`. */
  headline: string;
}

export interface Feed {
  app: App;
  live: Live;
  /** By id of the cause; as many as there are causes. */
  newest: Map<string, { startUs: number; lengthUs: number; jvm: string; findings: Finding[] }>;
  indices: Map<string, number>;
  /** After a new beginning: the pause that was open before, to be opened again when it comes. */
  wanted: { startUs: number; lengthUs: number; isLate: boolean } | null;
  /** The same of an episode of stalls. */
  wantedStall: { startUs: number; endUs: number; jvm: string; isLate: boolean } | null;
  /** Whether episodes came or went since they were last shown. */
  hasNewStalls: boolean;
  /** Of the last event. */
  line: string;
}

export function createFeed(hello: Hello): Feed {
  const state = new Observable<Live["state"]["value"]>({ connection: "live", why: "", line: "" });
  const live: Live = { hello, state, causes: [], cards: [], headline: "" };
  const app = createApp(emptyPage(hello), live);
  app.store.endUs = SHORTEST_SPAN_US;
  showAll(app);
  return { app, live, newest: new Map(), indices: new Map(), wanted: null, wantedStall: null, hasNewStalls: false, line: "" };
}

function emptyPage(hello: Hello): Page {
  const none = { count: 0, total_ns: 0, max_ns: 0 };
  return {
    version: hello.version,
    answer: {
      title: hello.title,
      verdict: "",
      steps: [],
      to_do: [],
      header: [],
      cards: [],
      hiccup: null,
      cut_stop: null,
      findings: [],
      minor: [],
      numbers: [],
      rest: null,
      not_checked: [],
      losses: [],
      notes: [],
      ruled_out: [],
      flags: [],
      words: [],
    },
    numbers: {
      clock: "",
      span_ns: 0,
      throughput: null,
      pauses: { ...none, mean_ns: 0, p50_ns: 0, p90_ns: 0, p99_ns: 0, p99_9_ns: 0, over: {}, time_to_safepoint: none, hiccups: none },
      gc: null,
      memory: null,
      jvm: { version: null, collector: null, main: null, pid: null, gc_threads: null },
      coverage: { sources: [], lost_events: 0, missing: [], cost: { recorder_cpu_ns: 0, recorder_rss_bytes: 0, jvm_cpu_ns: 0 } },
    },
    causes: [],
    pauses: {
      count: 0,
      origin_wall_ms: hello.since_wall_ms,
      origin_uptime_ms: null,
      zone_minutes: hello.zone_minutes,
      span_ms: 0,
      limit_ms: hello.limit_ms,
      start_us: [],
      length_us: [],
      reaching_us: [],
      kind: "",
      collected: "",
      operation: [],
      operations: [],
      parts: [],
      left_out: 0,
    },
    opened: [],
    host: [],
    stalls: null,
  };
}

/** The last hour comes again: empties the store, so that nothing is there twice. */
export function beginAnew(feed: Feed): void {
  const { store, view, opened, stalls } = feed.app;
  const { selected, isNewest, stall } = view.value;
  if (stall) feed.wantedStall = { startUs: stall.startUs, endUs: stall.endUs, jvm: stall.jvm, isLate: false };
  feed.hasNewStalls ||= stalls.episodes.length > 0;
  stalls.episodes = [];
  if (selected >= 0 && !isNewest) feed.wanted = { startUs: store.startUs[selected]!, lengthUs: store.lengthUs[selected]!, isLate: false };
  dropFirst(store, store.count);
  opened.clear();
  feed.app.beneath = { host: [], heap: [] };
  feed.newest.clear();
  view.set({ selected: -1, stall: null });
}

/** Takes the episode of stalls of an event, as `take` does with a pause. */
export function takeStall(feed: Feed, event: LiveStall): void {
  const { app, live } = feed;
  const { stalls, store } = app;
  const jvm = event.jvm ?? "";
  feed.line = jvm ? `${jvm}: ${event.line}` : event.line;
  const causes = event.causes.map((it) => causeIndex(feed, it));
  const us = Math.round((event.origin_wall_ms - live.hello.since_wall_ms) * 1_000);
  for (const it of episodesOf(event.stalls, { us, causes, who: () => event.who, jvm })) {
    const isSame = (other: Episode): boolean => other.startUs === it.startUs && other.endUs === it.endUs && other.jvm === jvm && other.told === it.told;
    if (stalls.episodes.some(isSame)) continue;
    let at = stalls.episodes.length;
    while (at > 0 && stalls.episodes[at - 1]!.startUs > it.startUs) at--;
    stalls.episodes.splice(at, 0, it);
    store.endUs = Math.max(store.endUs, Math.ceil(it.endUs));
    feed.hasNewStalls = true;
  }
}

function dropOldStalls(feed: Feed): void {
  const { store, stalls, view } = feed.app;
  const before = stalls.episodes.length;
  let kept = stalls.episodes.filter((it) => it.endUs >= store.beginUs).slice(-MOST_EPISODES);
  for (let members = kept.reduce((sum, it) => sum + it.members.length, 0); members > MOST_MEMBERS; kept = kept.slice(1)) members -= kept[0]!.members.length;
  if (kept.length === before) return;
  stalls.episodes = kept;
  feed.hasNewStalls = true;
  const { stall } = view.value;
  if (stall && !kept.includes(stall)) view.set({ stall: null });
}

/** Shows the episodes that came, opens the one that was open before, or one where there is no pause to open. */
function showStalls(feed: Feed): void {
  const { stalls, store, view } = feed.app;
  const { wantedStall: wanted } = feed;
  const { episodes } = stalls;
  const found = wanted && episodes.find((it) => it.startUs === wanted.startUs && it.endUs === wanted.endUs && it.jvm === wanted.jvm);
  if (found) {
    feed.wantedStall = null;
    view.set({ stall: found });
  } else if (view.value.isNewest) {
    view.set({ stall: store.count > 0 ? null : (episodes[episodes.length - 1] ?? null) });
  }
  if (!feed.hasNewStalls) return;
  feed.hasNewStalls = false;
  stalls.count = episodes.length;
  stallsChanged(stalls);
}

/** Takes what was read of the heap and the host, which is drawn with the next `tick`; with the time of the last reading
 * of the host. */
export function takeReadings({ app }: Feed, event: LiveReadings): number {
  app.beneath = withReadings(app.beneath, event);
  const lastMs = lastReading(app.beneath);
  app.store.endUs = Math.max(app.store.endUs, Math.ceil(lastMs * 1_000));
  return lastMs;
}

/** Takes the pause of an event; nothing is drawn before `show` or `tick`. */
export function take(feed: Feed, event: LivePause): void {
  const { store, opened } = feed.app;
  const jvm = event.jvm ?? "";
  feed.line = jvm ? `${jvm}: ${event.line}` : event.line;
  const { pauses } = event;
  if (pauses.count !== 1 || pauses.origin_wall_ms === null) return;
  const startUs = Math.round((pauses.origin_wall_ms - feed.live.hello.since_wall_ms) * 1_000 + pauses.start_us[0]!);
  const lengthUs = pauses.length_us[0]!;
  if (isKnown(feed, startUs, lengthUs, pauses.kind.charCodeAt(0), jvm)) return;
  const causes = event.causes.map((it) => causeIndex(feed, it));
  const before = store.count > 0 ? store.startUs[store.count - 1]! : 0;
  add(store, { ...pauses, jvm: jvm || undefined, start_us: [startUs - before], parts: withCauses(pauses.parts, causes), span_ms: 0 });
  const index = settleLast(store);
  if (index < store.count - 1) move(feed, index, 1);
  for (const finding of event.findings) takeFinding(feed, { ...finding, cause: causes[finding.cause]! }, startUs, lengthUs, jvm);
  const look = event.opened[0];
  if (look) opened.set(index, openedHere(look, index, causes));
  if (opened.size > feed.live.hello.opened) keepLongestOpened(feed);
}

function isKnown({ app: { store } }: Feed, startUs: number, lengthUs: number, kind: number, jvm: string): boolean {
  for (let i = lowerBound(store.startUs, startUs, 0, store.count); i < store.count && store.startUs[i] === startUs; i++) {
    if (store.lengthUs[i] === lengthUs && store.kind[i] === kind && jvmName(store, i) === jvm) return true;
  }
  return false;
}

function causeIndex({ app: { store }, indices, live }: Feed, cause: LivePause["causes"][number]): number {
  const known = indices.get(cause.id);
  if (known !== undefined) return known;
  const index = store.causes.push({ ...cause, page: live.hello.pages[cause.id] ?? cause.page }) - 1;
  indices.set(cause.id, index);
  return index;
}

/** Parts with the store's indices of causes: `[count, cause, µs, cause, µs, …]`. */
function withCauses(parts: number[], causes: number[]): number[] {
  return parts.map((it, at) => (at % 2 === 1 ? causes[it]! : it));
}

function openedHere(opened: Opened, pause: number, causes: number[]): Opened {
  return { ...opened, pause, segments: opened.segments.map((it) => ({ ...it, cause: it.cause === null ? null : causes[it.cause]! })) };
}

function takeFinding(feed: Feed, finding: Finding, startUs: number, lengthUs: number, jvm: string): void {
  const { id } = feed.app.store.causes[finding.cause]!;
  const known = feed.newest.get(id);
  if (known && known.startUs > startUs) return;
  if (known && known.startUs === startUs && known.lengthUs === lengthUs && known.jvm === jvm) known.findings.push(finding);
  else feed.newest.set(id, { startUs, lengthUs, jvm, findings: [finding] });
}

/** Indices from `from` on change by so many; those that become negative are gone. */
function move({ app: { view, opened } }: Feed, from: number, by: number): void {
  const moved = [...opened].map(([pause, it]): [number, Opened] => (pause < from ? [pause, it] : [pause + by, { ...it, pause: pause + by }]));
  opened.clear();
  for (const [pause, it] of moved) if (pause >= 0) opened.set(pause, it);
  const { selected } = view.value;
  if (selected >= from) view.set({ selected: Math.max(-1, selected + by) });
}

/** Those stay open to be looked into, besides the newest and the selected one. */
function keepLongestOpened({ app: { store, view, opened }, live: { hello } }: Feed): void {
  const { selected, isNewest } = view.value;
  const others = [...opened.keys()].filter((it) => it !== store.count - 1 && (isNewest || it !== selected));
  others.sort((a, b) => store.lengthUs[b]! - store.lengthUs[a]! || b - a);
  for (const pause of others.slice(hello.opened)) opened.delete(pause);
}

/** Shows what was taken: at once, in the picture and above it. */
export function show(feed: Feed, nowUs: number): void {
  const { app, wanted } = feed;
  const { store, view } = app;
  const { fromUs, toUs, isFollowing, isNewest, selected } = view.value;
  const isWhole = isFollowing && fromUs <= store.beginUs;
  // In whole microseconds, or a range would lose its last digits as it moves on.
  store.endUs = Math.max(store.endUs, Math.ceil(nowUs));
  const width = isWhole ? store.endUs - store.beginUs : toUs - fromUs;
  const from = isFollowing ? store.endUs - width : Math.max(fromUs, store.beginUs);
  const found = wanted ? indexOf(feed, wanted) : selected;
  if (wanted && found >= 0) feed.wanted = null;
  view.set({ fromUs: from, toUs: from + width, selected: isNewest ? store.count - 1 : found });
  showStalls(feed);
  feed.live.state.set({ line: feed.line });
  changed(store);
}

function indexOf({ app: { store } }: Feed, { startUs, lengthUs }: NonNullable<Feed["wanted"]>): number {
  let i = lowerBound(store.startUs, startUs, 0, store.count);
  while (i < store.count && store.startUs[i] === startUs && store.lengthUs[i] !== lengthUs) i++;
  return i < store.count && store.startUs[i] === startUs ? i : -1;
}

/** Once a second: drops what is too old, adds up the numbers and shows all of it. */
export function tick(feed: Feed, nowUs: number): void {
  const { app, live } = feed;
  const { store, view, calm } = app;
  show(feed, nowUs);
  dropOld(feed);
  dropOldStalls(feed);
  app.beneath = withoutOld(app.beneath, store.beginUs / 1_000);
  if (feed.wantedStall?.isLate) feed.wantedStall = null;
  else if (feed.wantedStall) feed.wantedStall.isLate = true;
  if (store.count > 0 && view.value.selected < 0 && !view.value.stall) {
    // What was open is too old, or did not come again within a second.
    if (feed.wanted && !feed.wanted.isLate) feed.wanted.isLate = true;
    else {
      feed.wanted = null;
      view.set({ selected: store.count - 1, isNewest: true });
    }
  }
  live.causes = rankedCauses(feed);
  live.cards = cardsOf(store, live.state.value.connection === "kept" ? null : live.hello.kept_ms);
  live.headline = headlineOf(store, live.state.value.connection === "kept" ? null : live.hello.kept_ms);
  app.page.numbers.pauses = pauseNumbers(store);
  show(feed, nowUs);
  calm.set({ batches: calm.value.batches + 1, second: Math.floor(store.endUs / 1e6) });
}

function dropOld(feed: Feed): void {
  const { store, view } = feed.app;
  const wasWhole = view.value.isFollowing && view.value.fromUs <= store.beginUs;
  store.beginUs = Math.max(0, Math.floor(store.endUs - feed.live.hello.kept_ms * 1_000));
  if (wasWhole) showAll(feed.app);
  let old = 0;
  while (old < store.count && store.startUs[old]! + store.lengthUs[old]! < store.beginUs) old++;
  old = Math.max(old, store.count - MOST_PAUSES);
  if (old <= 0) return;
  dropFirst(store, old);
  move(feed, 0, -old);
  for (const [id, it] of feed.newest) if (it.startUs + it.lengthUs < store.beginUs) feed.newest.delete(id);
}

/** By summed time; extent and share are of the kept time, the rest of the newest pause. */
function rankedCauses(feed: Feed): LiveCause[] {
  const { store } = feed.app;
  const times = causeTimes(store);
  const ranked = [...feed.newest.values()].sort((a, b) => times.us[b.findings[0]!.cause]! - times.us[a.findings[0]!.cause]!);
  return ranked
    .flatMap(({ findings, startUs, lengthUs, jvm }) => findings.map((finding, nth) => ({ key: `${finding.cause} ${nth}`, finding, startUs, lengthUs, jvm, cause: finding.cause })))
    .map((it, at) => ({ ...it, finding: { ...it.finding, number: at + 1, ...times.textOf(it.cause, it.finding) } }));
}
