// Threads that stood while the JVM ran, as objects: episodes with their stalls. Knows nothing of drawing: who
// draws watches `version`.

import type { EpisodeData, Episodes, Place, Stalls } from "../model";
import { Observable } from "../observable";

export interface Thread {
  tid: number;
  name: string;
  pool: string;
}

/** One stall of one thread. */
export interface Member {
  thread: Thread;
  /** Whose stall it is: another thread where this one only waited for that. */
  holder: Thread;
  startUs: number;
  endUs: number;
  /** How much of it was in no stop of the JVM. */
  countedUs: number;
}

export interface Episode extends Omit<EpisodeData, "start_us" | "length_us" | "cause" | "place" | "holder" | "members"> {
  startUs: number;
  endUs: number;
  /** Index of the cause; null for unexplained time. */
  cause: number | null;
  place: Place;
  holder: Thread | null;
  members: Member[];
  /** Who did it, where that is known. */
  who: string[];
  /** Whose it is, where there are several JVMs. */
  jvm: string;
}

export interface StallStore {
  /** Changes with each episode that comes or goes. */
  readonly version: Observable<{ batches: number }>;
  /** In order of time. */
  episodes: Episode[];
  /** Also those that are not here. */
  count: number;
}

/** Of a live page: what else is known of its episodes, and when its time 0 is. */
export interface Origin {
  us: number;
  causes: number[] | null;
  who: (cause: number | null) => string[];
  jvm: string;
}

export function createStalls(stalls: Stalls | null): StallStore {
  const who = (cause: number | null): string[] => stalls?.findings.find((it) => it.cause === cause)?.who ?? [];
  const episodes = stalls ? episodesOf(stalls, { us: 0, causes: null, who, jvm: "" }) : [];
  return { version: new Observable({ batches: 0 }), episodes, count: stalls?.episode_count ?? 0 };
}

export function episodesOf({ threads: all, pools, places, episodes }: Episodes, origin: Origin): Episode[] {
  const threads = all.map((it): Thread => ({ tid: it.tid, name: it.name, pool: pools[it.pool]! }));
  return episodes.map((it): Episode => {
    const cause = it.cause === null || origin.causes === null ? it.cause : origin.causes[it.cause]!;
    const startUs = origin.us + it.start_us;
    const members: Member[] = [];
    for (let at = 0; at + 4 < it.members.length; at += 5) {
      const [thread, holder, start, length, countedUs] = it.members.slice(at, at + 5) as [number, number, number, number, number];
      members.push({ thread: threads[thread]!, holder: threads[holder]!, startUs: startUs + start, endUs: startUs + start + length, countedUs });
    }
    const { start_us, length_us, place, holder, ...rest } = it;
    return { ...rest, startUs, endUs: startUs + length_us, cause, place: places[place]!, holder: holder === null ? null : threads[holder]!, members, who: origin.who(cause), jvm: origin.jvm };
  });
}

export function changed({ version }: StallStore): void {
  version.set({ batches: version.value.batches + 1 });
}

/** The one with most time. */
export function largestOf({ episodes }: StallStore): Episode | null {
  return episodes.reduce<Episode | null>((most, it) => (most === null || it.time_us > most.time_us ? it : most), null);
}

/** Stalls that are not here one by one. */
export const leftOut = ({ episodes }: StallStore): number => episodes.reduce((sum, it) => sum + it.left_out, 0);

/** The next one in that direction; the first or last of all where none is given. */
export function neighbour({ episodes }: StallStore, of: Episode | null, direction: 1 | -1): Episode | null {
  if (episodes.length === 0) return null;
  const at = of ? episodes.indexOf(of) : -1;
  if (at < 0) return episodes[direction > 0 ? 0 : episodes.length - 1]!;
  return episodes[Math.min(episodes.length - 1, Math.max(0, at + direction))]!;
}
