// How many threads of each pool stand at once, over time, by the class of what they wait for: steps that a
// picture of any width can be drawn from.

import type { CauseInfo, Class } from "../model";
import { CLASSES } from "../palette";
import type { Episode, StallStore } from "./store";

/** Times of live events are whole microseconds of several clocks: what ends that late ends before what follows. */
const ROUNDING_US = 2;

/** Lanes of pools; of more, the last one is all others. */
const MOST_LANES = 8;

export interface PoolLane {
  name: string;
  /** Episodes that threads of it are part of. */
  episodes: Episode[];
  /** Whether a member is of this lane: by its key. */
  keys: Set<string>;
  /** Where the number of threads changes; rises. */
  atUs: Float64Array;
  /** From each of these on, for each class how many threads stand. */
  counts: Uint16Array;
  /** The most at once. */
  most: number;
}

const keyOf = (episode: Episode, pool: string): string => (episode.jvm ? `${episode.jvm}: ${pool}` : pool);

export const classOf = (causes: CauseInfo[], cause: number | null): Class => (cause === null ? "unexplained" : (causes[cause]?.class ?? "unexplained"));

/** A lane for each pool, most time first. */
export function poolLanes({ episodes }: StallStore, causes: CauseInfo[]): PoolLane[] {
  const times = new Map<string, number>();
  for (const episode of episodes) {
    for (const { thread, startUs, endUs } of episode.members) {
      const key = keyOf(episode, thread.pool);
      times.set(key, (times.get(key) ?? 0) + endUs - startUs);
    }
  }
  const ranked = [...times].sort((a, b) => b[1] - a[1]).map(([key]) => key);
  const single = ranked.length <= MOST_LANES ? ranked : ranked.slice(0, MOST_LANES - 1);
  const others = ranked.slice(single.length);
  const lanes = single.map((key) => laneOf(key, new Set([key]), episodes, causes));
  if (others.length > 0) lanes.push(laneOf(`${others.length} others`, new Set(others), episodes, causes));
  return lanes;
}

function laneOf(name: string, keys: Set<string>, episodes: Episode[], causes: CauseInfo[]): PoolLane {
  const changes: [number, number, number][] = [];
  const found: Episode[] = [];
  for (const episode of episodes) {
    const kind = CLASSES.indexOf(classOf(causes, episode.cause));
    const members = episode.members.filter((it) => keys.has(keyOf(episode, it.thread.pool)));
    if (members.length > 0) found.push(episode);
    for (const { startUs, endUs } of members) changes.push([startUs, kind, 1], [Math.max(startUs, endUs - ROUNDING_US), kind, -1]);
  }
  changes.sort((a, b) => a[0] - b[0]);
  const atUs = new Float64Array(changes.length);
  const counts = new Uint16Array(changes.length * CLASSES.length);
  const now = new Array<number>(CLASSES.length).fill(0);
  let [steps, most, sum] = [0, 0, 0];
  for (const [us, kind, by] of changes) {
    if (steps === 0 || atUs[steps - 1] !== us) atUs[steps++] = us;
    now[kind]! += by;
    sum += by;
    counts.set(now, (steps - 1) * CLASSES.length);
    if (steps > 1) most = Math.max(most, total(counts, steps - 2));
  }
  if (steps > 0) most = Math.max(most, sum, total(counts, steps - 1));
  return { name, episodes: found, keys, atUs: atUs.subarray(0, steps), counts: counts.subarray(0, steps * CLASSES.length), most };
}

/** How many threads stand from this step on. */
export function total(counts: Uint16Array, step: number): number {
  let sum = 0;
  for (let kind = 0; kind < CLASSES.length; kind++) sum += counts[step * CLASSES.length + kind]!;
  return sum;
}

/** The episode of a lane at a time: the shortest that has a stall there, else the nearest within a slack. */
export function episodeAt(lane: PoolLane, us: number, slackUs: number): Episode | null {
  let [best, bestDistance] = [null as Episode | null, slackUs];
  for (const episode of lane.episodes) {
    if (episode.startUs - slackUs > us || episode.endUs + slackUs < us) continue;
    for (const { thread, startUs, endUs } of episode.members) {
      if (!lane.keys.has(keyOf(episode, thread.pool))) continue;
      const distance = Math.max(0, startUs - us, us - endUs);
      const isCloser = distance < bestDistance || (distance === bestDistance && best !== null && episode.endUs - episode.startUs < best.endUs - best.startUs);
      if (isCloser) [best, bestDistance] = [episode, distance];
    }
  }
  return best;
}

/** From where to where threads of a lane stand in an episode; null where none does. */
export function extentIn(lane: PoolLane, episode: Episode): [number, number] | null {
  let [from, to] = [Infinity, -Infinity];
  for (const { thread, startUs, endUs } of episode.members) {
    if (!lane.keys.has(keyOf(episode, thread.pool))) continue;
    [from, to] = [Math.min(from, startUs), Math.max(to, endUs)];
  }
  return from <= to ? [from, to] : null;
}
