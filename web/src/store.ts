// The pauses as columns of typed arrays that grow, so that 200,000 of them stay cheap and more can be
// appended while the page is open. Knows nothing of drawing: who draws watches `version`.

import { duration, plural } from "./format";
import type { CauseInfo, Class, Collected, Columns } from "./model";
import { CLASSES, KIND_NAME } from "./palette";
import { Observable } from "./observable";

/** A batch to append: the columns of new pauses. Its first `start_us` is relative to the last start in
 * the store (to time 0 where the store is empty). */
export type Batch = Pick<
  Columns,
  "count" | "start_us" | "length_us" | "reaching_us" | "kind" | "collected" | "operation" | "operations" | "parts" | "span_ms"
> & {
  /** Whose pauses they are, where there are several JVMs. */
  jvm?: string;
};

/** Pauses in a block whose longest is known, so that the longest of a range is found without a scan. */
const BLOCK = 64;

export interface Store {
  /** Changes with each batch. */
  readonly version: Observable<{ batches: number }>;
  count: number;
  /** Where the time that is kept begins: 0 unless older pauses were dropped. */
  beginUs: number;
  /** Where the input ends. */
  endUs: number;
  limitUs: number;
  leftOut: number;
  readonly causes: CauseInfo[];
  readonly operations: string[];
  /** Empty where there is only one JVM. */
  readonly jvms: string[];
  startUs: Float64Array;
  lengthUs: Float64Array;
  reachingUs: Float64Array;
  /** Character codes of `s`, `c`, `g` and `h`, see `Columns`. */
  kind: Uint8Array;
  /** Character codes of `Collected`. */
  collected: Uint8Array;
  operation: Uint16Array;
  jvm: Uint16Array;
  /** The parts of pause `i` are `partFrom[i]` up to `partFrom[i + 1]`. */
  partFrom: Uint32Array;
  partCause: Uint16Array;
  partUs: Float64Array;
  /** The latest end of all pauses up to this one; rises, so it can be searched. */
  latestEndUs: Float64Array;
  /** Length of all pauses before this one. */
  stoppedBeforeUs: Float64Array;
  /** Number and length of the hiccups before this one, which are no stops of the JVM. */
  hiccupsBefore: Uint32Array;
  hiccupBeforeUs: Float64Array;
  /** Index of the longest pause of each block. */
  blockLongest: Uint32Array;
  longestUs: number;
  longCount: number;
  /** Exact sums of all pauses, where they will not change. */
  readonly sums: Columns["sums"];
}

export function createStore(columns: Columns, causes: CauseInfo[]): Store {
  const store: Store = {
    version: new Observable({ batches: 0 }),
    count: 0,
    beginUs: 0,
    endUs: 0,
    limitUs: columns.limit_ms * 1_000,
    leftOut: columns.left_out,
    causes,
    operations: [],
    jvms: [],
    startUs: new Float64Array(0),
    lengthUs: new Float64Array(0),
    reachingUs: new Float64Array(0),
    kind: new Uint8Array(0),
    collected: new Uint8Array(0),
    operation: new Uint16Array(0),
    jvm: new Uint16Array(0),
    partFrom: new Uint32Array(1),
    partCause: new Uint16Array(0),
    partUs: new Float64Array(0),
    latestEndUs: new Float64Array(0),
    stoppedBeforeUs: new Float64Array(1),
    hiccupsBefore: new Uint32Array(1),
    hiccupBeforeUs: new Float64Array(1),
    blockLongest: new Uint32Array(0),
    longestUs: 0,
    longCount: 0,
    sums: columns.sums,
  };
  append(store, columns);
  return store;
}

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** The array itself where `size` fits, else a copy of twice the room. */
function grown<T extends Numbers>(array: T, size: number): T {
  if (size <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(size, array.length * 2, 16));
  larger.set(array);
  return larger;
}

function reserve(store: Store, pauses: number, parts: number): void {
  store.startUs = grown(store.startUs, pauses);
  store.lengthUs = grown(store.lengthUs, pauses);
  store.reachingUs = grown(store.reachingUs, pauses);
  store.kind = grown(store.kind, pauses);
  store.collected = grown(store.collected, pauses);
  store.operation = grown(store.operation, pauses);
  store.jvm = grown(store.jvm, pauses);
  store.partFrom = grown(store.partFrom, pauses + 1);
  store.latestEndUs = grown(store.latestEndUs, pauses);
  store.stoppedBeforeUs = grown(store.stoppedBeforeUs, pauses + 1);
  store.hiccupsBefore = grown(store.hiccupsBefore, pauses + 1);
  store.hiccupBeforeUs = grown(store.hiccupBeforeUs, pauses + 1);
  store.blockLongest = grown(store.blockLongest, Math.ceil(pauses / BLOCK));
  store.partCause = grown(store.partCause, parts);
  store.partUs = grown(store.partUs, parts);
}

/** Adds pauses, all of which begin no earlier than those that are there, and tells who watches. */
export function append(store: Store, batch: Batch): void {
  add(store, batch);
  changed(store);
}

/** Tells who watches, after changes that do not tell by themselves. */
export function changed(store: Store): void {
  store.version.set({ batches: store.version.value.batches + 1 });
}

/** As `append`, and tells nobody yet. */
export function add(store: Store, batch: Batch): void {
  reserve(store, store.count + batch.count, store.partFrom[store.count]! + batch.parts.length / 2);
  const operationOf = batch.operations.map((name) => nameIndex(store.operations, name));
  const jvm = batch.jvm === undefined ? 0 : nameIndex(store.jvms, batch.jvm);
  let start = store.count > 0 ? store.startUs[store.count - 1]! : 0;
  let at = 0;
  for (let i = 0; i < batch.count; i++) {
    start += batch.start_us[i]!;
    const index = store.count + i;
    store.startUs[index] = start;
    store.lengthUs[index] = batch.length_us[i]!;
    store.reachingUs[index] = batch.reaching_us[i] ?? 0;
    store.kind[index] = batch.kind.charCodeAt(i);
    store.collected[index] = batch.collected.charCodeAt(i);
    store.operation[index] = operationOf[batch.operation[i]!] ?? 0;
    store.jvm[index] = jvm;
    at = takeParts(store, index, batch.parts, at);
    derive(store, index);
  }
  store.count += batch.count;
  store.endUs = Math.max(store.endUs, batch.span_ms * 1_000, store.count ? store.latestEndUs[store.count - 1]! : 0);
}

/** Moves the last pause to its place where it began before others, and gives its index. */
export function settleLast(store: Store): number {
  const last = store.count - 1;
  const at = upperBound(store.startUs, store.startUs[last]!, last);
  if (at === last) return at;
  for (const array of columnsOf(store)) moveBack(array, at, last, 1);
  const [from, to] = [store.partFrom[last]!, store.partFrom[last + 1]!];
  for (const array of [store.partCause, store.partUs]) moveBack(array, store.partFrom[at]!, from, to - from);
  for (let i = last; i > at; i--) store.partFrom[i] = store.partFrom[i - 1]! + (to - from);
  deriveAll(store);
  return at;
}

/** With one value for each pause, which none of the others follows from. */
const columnsOf = (store: Store): Numbers[] => [store.startUs, store.lengthUs, store.reachingUs, store.kind, store.collected, store.operation, store.jvm];

/** The `size` values at `from` go to `to`, and those between move on. */
function moveBack(array: Numbers, to: number, from: number, size: number): void {
  const moved = array.slice(from, from + size);
  array.copyWithin(to + size, to, from);
  array.set(moved, to);
}

/** Drops the first pauses; those that remain have indices that are lower by so many. */
export function dropFirst(store: Store, pauses: number): void {
  if (pauses <= 0) return;
  const [count, parts] = [store.count, store.partFrom[pauses]!];
  for (const array of columnsOf(store)) array.copyWithin(0, pauses, count);
  for (const array of [store.partCause, store.partUs]) array.copyWithin(0, parts, store.partFrom[count]!);
  store.count = Math.max(0, count - pauses);
  for (let i = 0; i <= store.count; i++) store.partFrom[i] = store.partFrom[i + pauses]! - parts;
  forgetNames(store, store.operations, store.operation);
  forgetNames(store, store.jvms, store.jvm);
  deriveAll(store);
}

/** Names come from the JVM: those that no pause has any more are forgotten beyond so many. */
const MOST_NAMES = 1_000;

function forgetNames(store: Store, names: string[], column: Uint16Array): void {
  if (names.length <= MOST_NAMES) return;
  const all = names.splice(0);
  for (let i = 0; i < store.count; i++) column[i] = nameIndex(names, all[column[i]!] ?? "");
}

function deriveAll(store: Store): void {
  store.longestUs = 0;
  store.longCount = 0;
  for (let i = 0; i < store.count; i++) derive(store, i);
}

function nameIndex(names: string[], name: string): number {
  const known = names.indexOf(name);
  return known >= 0 ? known : names.push(name) - 1;
}

function takeParts(store: Store, index: number, parts: number[], from: number): number {
  let to = store.partFrom[index]!;
  let at = from;
  for (let left = parts[at++] ?? 0; left > 0; left--) {
    store.partCause[to] = parts[at++]!;
    store.partUs[to++] = parts[at++]!;
  }
  store.partFrom[index + 1] = to;
  return at;
}

function derive(store: Store, index: number): void {
  const length = store.lengthUs[index]!;
  const end = store.startUs[index]! + length;
  store.latestEndUs[index] = index > 0 ? Math.max(end, store.latestEndUs[index - 1]!) : end;
  store.stoppedBeforeUs[index + 1] = store.stoppedBeforeUs[index]! + length;
  const isOne = isHiccup(store, index);
  store.hiccupsBefore[index + 1] = store.hiccupsBefore[index]! + (isOne ? 1 : 0);
  store.hiccupBeforeUs[index + 1] = store.hiccupBeforeUs[index]! + (isOne ? length : 0);
  const block = Math.floor(index / BLOCK);
  if (index % BLOCK === 0 || length > store.lengthUs[store.blockLongest[block]!]!) store.blockLongest[block] = index;
  store.longestUs = Math.max(store.longestUs, length);
  if (length >= store.limitUs) store.longCount++;
}

/** The first index from `low` on whose value is not below `value`. */
export function lowerBound(array: Float64Array, value: number, low: number, high: number): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (array[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index whose value is above `value`, of the first `count`, which rise. */
function upperBound(array: Float64Array, value: number, count: number): number {
  let at = lowerBound(array, value, 0, count);
  while (at < count && array[at]! <= value) at++;
  return at;
}

/** The pauses that touch a range, as indices from and up to; a few before may have ended already. */
export function pausesIn(store: Store, fromUs: number, toUs: number): [number, number] {
  return [
    lowerBound(store.latestEndUs, fromUs, 0, store.count),
    lowerBound(store.startUs, toUs, 0, store.count),
  ];
}

/** The longest of the pauses `from` up to `to`, which must not be empty. */
export function longestIn(store: Store, from: number, to: number): number {
  const lengths = store.lengthUs;
  let best = from;
  let i = from;
  while (i < to) {
    const aligned = i % BLOCK === 0 && i + BLOCK <= to;
    const candidate = aligned ? store.blockLongest[i / BLOCK]! : i;
    if (lengths[candidate]! > lengths[best]!) best = candidate;
    i += aligned ? BLOCK : 1;
  }
  return best;
}

/** The `most` longest, longest first; of these pauses, or of all. */
export function longestPauses(store: Store, most: number, pauses?: Uint32Array): number[] {
  const lengths = store.lengthUs;
  const found: number[] = [];
  let least = -1;
  const number = pauses?.length ?? store.count;
  for (let n = 0; n < number; n++) {
    const i = pauses ? pauses[n]! : n;
    if (found.length >= most && lengths[i]! <= least) continue;
    let at = found.length;
    while (at > 0 && lengths[found[at - 1]!]! < lengths[i]!) at--;
    found.splice(at, 0, i);
    if (found.length > most) found.pop();
    least = lengths[found[found.length - 1]!]!;
  }
  return found;
}

/** Adds a pause's time by class to `into`, unexplained last; its length is the sum. */
export function classTimes(store: Store, index: number, into: Float64Array): void {
  into.fill(0);
  let rest = store.lengthUs[index]!;
  for (let part = store.partFrom[index]!; part < store.partFrom[index + 1]!; part++) {
    const us = Math.min(store.partUs[part]!, rest);
    const cause = store.causes[store.partCause[part]!];
    into[cause ? CLASSES.indexOf(cause.class) : CLASSES.length - 1]! += us;
    rest -= us;
  }
  into[CLASSES.length - 1]! += Math.max(0, rest);
}

const times = new Float64Array(CLASSES.length);

/** The class that most of a pause's time is of. */
export function largestClass(store: Store, index: number): Class {
  classTimes(store, index, times);
  let best = 0;
  for (let i = 1; i < times.length; i++) if (times[i]! > times[best]!) best = i;
  return CLASSES[best]!;
}

/** What the collector did in it. */
export const collectedOf = (store: Store, index: number): Collected => String.fromCharCode(store.collected[index]!) as Collected;

export interface Part {
  /** Index of the cause; null for unexplained time. */
  cause: number | null;
  us: number;
}

/** What a pause is made of, largest first. */
export function partsOf(store: Store, index: number): Part[] {
  const parts: Part[] = [];
  let rest = store.lengthUs[index]!;
  for (let part = store.partFrom[index]!; part < store.partFrom[index + 1]!; part++) {
    parts.push({ cause: store.partCause[part]!, us: store.partUs[part]! });
    rest -= store.partUs[part]!;
  }
  // Parts are in whole microseconds, so that less than one for each is rounding.
  if (rest > parts.length + 1) parts.push({ cause: null, us: rest });
  return parts.sort((a, b) => b.us - a.us);
}

const HICCUP = "h".charCodeAt(0);

/** Whether application threads did not run though the JVM had not stopped them. */
export const isHiccup = (store: Store, index: number): boolean => store.kind[index] === HICCUP;

/** `178 stops, 3.34 s · 24 hiccups, 1.67 s`: hiccups are counted apart. */
export function pausesText(store: Store, from: number, to: number): string {
  const hiccups = store.hiccupsBefore[to]! - store.hiccupsBefore[from]!;
  const hiccupUs = store.hiccupBeforeUs[to]! - store.hiccupBeforeUs[from]!;
  const stoppedUs = store.stoppedBeforeUs[to]! - store.stoppedBeforeUs[from]! - hiccupUs;
  const stops = `${plural(to - from - hiccups, "stop")}, ${duration(stoppedUs)}`;
  const others = `${plural(hiccups, "hiccup")}, ${duration(hiccupUs)}`;
  if (hiccups === 0) return stops;
  return hiccups === to - from ? others : `${stops} · ${others}`;
}

const KINDS: Record<string, string> = { s: "stop", c: "stop", g: "collection", h: "hiccup" };

export function kindName(store: Store, index: number): string {
  return KINDS[String.fromCharCode(store.kind[index]!)] ?? "pause";
}

/** `full collection`, or `stop, full collection`, which may be far longer than its collection. */
export function fullKindName(store: Store, index: number): string {
  const [kind, what] = [collectedOf(store, index), kindName(store, index)];
  if (isHiccup(store, index) || kind === "-" || kind === "u") return what;
  return what === "stop" ? `stop, ${KIND_NAME[kind]}` : KIND_NAME[kind];
}

const CUT = "c".charCodeAt(0);

/** `3.2 s`; `at least 3.2 s` of a stop whose begin or end was not seen. */
export function lengthText(store: Store, index: number): string {
  const seen = duration(store.lengthUs[index]!);
  return store.kind[index] === CUT ? `at least ${seen}` : seen;
}

export function operationName(store: Store, index: number): string {
  return store.operations[store.operation[index]!] || kindName(store, index);
}

/** `orders (pid 4242)`; empty where there is only one JVM. */
export function jvmName(store: Store, index: number): string {
  return store.jvms[store.jvm[index]!] ?? "";
}

/** `stop · RevokeBias`, or `hiccup` alone where there is no operation. */
export function hasOperation(store: Store, index: number): boolean {
  return Boolean(store.operations[store.operation[index]!]);
}
