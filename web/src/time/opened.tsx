// The pause that is open, in one line beneath the time line: so that arrow keys can be used there without losing
// sight of it, and what was pressed is known before the page has moved.

import { goTo, useApp } from "../app";
import { timeOfDay } from "../clock";
import { duration } from "../format";
import { usePart } from "../observable";
import { Swatch } from "../parts/swatch";
import { Long, Name } from "../parts/text";
import { spokenStall } from "../stalls/lanes";
import { collectedOf, fullKindName, hasOperation, lengthText, operationName, partsOf } from "../store";

/** Smaller parts are with the pause itself. */
const MOST_PARTS = 3;

export function OpenedLine() {
  const app = useApp();
  const { store, view, clock } = app;
  const pause = usePart(view, (it) => it.selected);
  const stall = usePart(view, (it) => it.stall);
  const zone = usePart(view, (it) => it.zone);
  usePart(app.calm, (it) => it.batches);
  if (!stall && (pause < 0 || pause >= store.count)) return null;
  return (
    <div class="opened-line" id="opened-line">
      <button type="button" class="link" onClick={() => goTo("pause")}>
        {timeOfDay(stall?.startUs ?? store.startUs[pause]!, zone, clock)} ↓
      </button>
      {stall ? <Long text={spokenStall(stall)} /> : <PauseText pause={pause} />}
    </div>
  );
}

function PauseText({ pause }: { pause: number }) {
  const { store } = useApp();
  const parts = partsOf(store, pause);
  const others = parts.slice(MOST_PARTS).reduce((us, it) => us + it.us, 0);
  return (
    <>
      <b>{lengthText(store, pause)}</b> {fullKindName(store, pause)}
      {hasOperation(store, pause) && collectedOf(store, pause) === "-" && <Name text={operationName(store, pause)} />}
      {parts.slice(0, MOST_PARTS).map((part) => {
        const cause = part.cause === null ? undefined : store.causes[part.cause];
        return (
          <span class="part">
            <Swatch kind={cause?.class ?? "unexplained"} /> <Name text={cause?.short ?? "unexplained"} /> {duration(part.us)}
          </span>
        );
      })}
      {others > 0 && <span class="part muted">others {duration(others)}</span>}
    </>
  );
}
