// What is known of the episode under the pointer: when, how long, who stood for what.

import { useApp } from "../app";
import { fullTime } from "../clock";
import { duration, plural } from "../format";
import { Swatch } from "../parts/swatch";
import { beginning } from "../parts/text";
import { classOf } from "./pools";
import type { Episode } from "./store";

export function StallTip({ episode, x, width }: { episode: Episode; x: number; width: number }) {
  const { store, clock, view } = useApp();
  const cause = episode.cause === null ? null : store.causes[episode.cause];
  const left = x > width - 300 ? Math.max(4, x - 294) : Math.max(4, Math.min(x + 14, width - 290));
  return (
    <div class="tip" role="presentation" style={{ transform: `translateX(${left}px)` }}>
      <p>
        <b>{duration(episode.longest_us)}</b> longest stall of {plural(episode.threads, "thread")}
      </p>
      <p class="muted">{fullTime(episode.startUs, view.value.zone, clock)}</p>
      {episode.jvm && (
        <p class="clip">
          <bdi>{beginning(episode.jvm, 200)}</bdi>
        </p>
      )}
      <p class="clip">
        <bdi>{beginning(episode.pools, 200)}</bdi>
      </p>
      <ul>
        <li>
          <Swatch kind={classOf(store.causes, episode.cause)} />
          <bdi class="clip">{beginning(cause?.title ?? "unexplained", 200)}</bdi>
          <span>{duration(episode.time_us)}</span>
        </li>
      </ul>
      {episode.place.file && (
        <p class="clip muted">
          <bdi>{beginning(episode.place.file, 200)}</bdi>
        </p>
      )}
    </div>
  );
}
