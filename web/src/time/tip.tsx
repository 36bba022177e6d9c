// What is known of the pause under the pointer: when, how long, which operation, of what.

import { useApp } from "../app";
import { fullTime, uptime } from "../clock";
import { duration, plural } from "../format";
import { Swatch } from "../parts/swatch";
import { beginning } from "../parts/text";
import { fullKindName, hasOperation, jvmName, lengthText, operationName, partsOf } from "../store";

/** More parts would only be small ones. */
const MOST_PARTS = 6;

export function Tip({ pause, among, x, width }: { pause: number; among: number; x: number; width: number }) {
  const { store, clock, view } = useApp();
  const { zone } = view.value;
  const start = store.startUs[pause]!;
  const up = zone === "uptime" ? null : uptime(start, clock);
  const reaching = store.reachingUs[pause]!;
  const left = Math.max(4, Math.min(x + 14, width - 290));
  return (
    <div class="tip" role="presentation" style={{ transform: `translateX(${x > width - 300 ? Math.max(4, x - 294) : left}px)` }}>
      <p>
        <b>{lengthText(store, pause)}</b> {fullKindName(store, pause)}
      </p>
      <p class="muted">
        {fullTime(start, zone, clock)}
        {up && ` · uptime ${up}`}
      </p>
      {jvmName(store, pause) && (
        <p class="clip">
          <bdi>{beginning(jvmName(store, pause), 200)}</bdi>
        </p>
      )}
      {hasOperation(store, pause) && (
        <p class="clip">
          <bdi>{beginning(operationName(store, pause), 200)}</bdi>
        </p>
      )}
      <ul>
        {partsOf(store, pause).slice(0, MOST_PARTS).map((part) => {
          const cause = part.cause === null ? null : store.causes[part.cause];
          return (
            <li>
              <Swatch kind={cause?.class ?? "unexplained"} />
              <bdi class="clip">{beginning(cause?.title ?? "unexplained", 200)}</bdi>
              <span>{duration(part.us)}</span>
            </li>
          );
        })}
      </ul>
      {reaching > 0 && <p class="muted">time to safepoint {duration(reaching)}</p>}
      {among > 1 && <p class="muted">the longest of {plural(among, "pause")} in this column; zoom in to see all</p>}
    </div>
  );
}
