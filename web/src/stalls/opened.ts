// An episode of stalls in the form of an opened pause, so that the same lanes show it: a lane for each thread, a
// slice for each stall, an arrow from the thread that others waited for.

import type { Lane, Wait } from "../model";
import type { Shown } from "../lanes/picture";
import { duration, plural } from "../format";
import type { Episode, Member, Thread } from "./store";

/** More threads would be more than a picture holds. */
const MOST_LANES = 200;

export interface OpenedStall {
  shown: Shown;
  lengthUs: number;
  /** Threads that have no lane. */
  lanesLeftOut: number;
}

/** Begin and end of a stop of the JVM. */
export type Stop = [number, number];

/** `stops`: those of the JVM, in order and apart. A stall goes on in them, and only the rest of it counts. */
export function openedStall(episode: Episode, stops: Stop[] = []): OpenedStall {
  const byThread = new Map<Thread, Member[]>();
  for (const it of episode.members) byThread.set(it.thread, [...(byThread.get(it.thread) ?? []), it]);
  const timeOf = (members: Member[]): number => members.reduce((sum, it) => sum + it.countedUs, 0);
  const isHolder = (thread: Thread): boolean => thread === episode.holder;
  const ranked = [...byThread].sort(([a, x], [b, y]) => Number(isHolder(b)) - Number(isHolder(a)) || timeOf(y) - timeOf(x));
  const shownThreads = ranked.slice(0, MOST_LANES);
  const laneOf = new Map(shownThreads.map(([thread], index) => [thread, index]));
  const decisive = decisiveMember(episode);
  const waits: Wait[] = [placeWait(episode)];
  const waitFor = new Map<Thread, number>();
  const waitOf = (it: Member): number | null => {
    if (it === decisive) return 0;
    if (it.holder === it.thread) return null;
    const known = waitFor.get(it.holder);
    if (known !== undefined) return known;
    waitFor.set(it.holder, waits.length);
    return waits.push({ ...nothing, waits_for: `thread ${it.holder.name}`, certainty: episode.certainty, thread: it.holder.name }) - 1;
  };
  const lanes = shownThreads.map(([thread, members]): Lane => ({
    tid: thread.tid,
    name: thread.name,
    role: `${isHolder(thread) ? "holder," : "stood"} ${duration(timeOf(members))}`,
    spans: members.flatMap((it) => {
      const pieces = piecesOf(it, stops);
      return pieces.map(([from, to, isStopped], index): Lane["spans"][number] => ({
        start_us: from - episode.startUs,
        length_us: to - from,
        state: isStopped ? "stopped" : "blocked",
        wait: isStopped ? null : waitOf(it),
        woken_by: it.holder === it.thread || index < pieces.length - 1 ? null : (laneOf.get(it.holder) ?? null),
      }));
    }),
  }));
  const shown: Shown = { pause: -1, chain: "", reached_us: 0, segments: unionOf(episode, stops), lanes, waits, phases: [], stages: [], needs: [], left_out: episode.left_out, stalledFor: episode.cause };
  return { shown, lengthUs: episode.endUs - episode.startUs, lanesLeftOut: ranked.length - shownThreads.length };
}

const nothing: Wait = { call: "", file: "", file_system: "", device: "", waits_for: "", cpu_holder: "", certainty: "", writers: [], stack: [], marked: null };

/** The stall of which it is known where it was: the longest, of the thread that is named for it. */
function decisiveMember({ members, place }: Episode): Member | null {
  const own = members.filter((it) => it.thread.name === place.thread);
  return (own.length > 0 ? own : members).reduce<Member | null>((most, it) => (most === null || it.countedUs > most.countedUs ? it : most), null);
}

function placeWait({ place, certainty }: Episode): Wait {
  const { thread: _, ...where } = place;
  return { ...nothing, ...where, certainty };
}

/** A stall from stop to stop, with the stops in between. */
function piecesOf({ startUs, endUs }: { startUs: number; endUs: number }, stops: Stop[]): [number, number, boolean][] {
  const pieces: [number, number, boolean][] = [];
  let at = startUs;
  for (const [from, to] of stops) {
    if (to <= at || from >= endUs) continue;
    if (from > at) pieces.push([at, from, false]);
    pieces.push([Math.max(at, from), Math.min(to, endUs), true]);
    at = Math.min(to, endUs);
  }
  if (at < endUs) pieces.push([at, endUs, false]);
  return pieces;
}

/** When at least one thread stood while the JVM ran. */
function unionOf({ members, startUs, cause }: Episode, stops: Stop[]): Shown["segments"] {
  const pieces = members.flatMap((it) => piecesOf(it, stops)).filter((it) => !it[2]);
  const sorted = pieces.map(([startUs, endUs]) => ({ startUs, endUs })).sort((a, b) => a.startUs - b.startUs);
  const segments: Shown["segments"] = [];
  for (const it of sorted) {
    const last = segments[segments.length - 1];
    const [from, to] = [it.startUs - startUs, it.endUs - startUs];
    if (last && from <= last.start_us + last.length_us) last.length_us = Math.max(last.length_us, to - last.start_us);
    else segments.push({ start_us: from, length_us: to - from, cause, lane: null });
  }
  return segments;
}

/** `3 stalls of 2 threads`. */
export const extentText = (it: Episode): string => `${plural(it.stalls, "stall")} of ${plural(it.threads, "thread")}`;
