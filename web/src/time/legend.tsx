// What the colours and marks of the time line mean, with the sums of the pauses that are chosen.

import { useApp } from "../app";
import { useChosen } from "../chosen/follow";
import { useKeptHeight } from "../chosen/kept";
import { count, duration } from "../format";
import type { Collected } from "../model";
import { usePart } from "../observable";
import { CLASSES, type Group, KINDS, KIND_NAME, MARK_PATH, groupName } from "../palette";
import { Mark, Swatch } from "../parts/swatch";
import { type Store, classTimes } from "../store";

export function Legend() {
  const app = useApp();
  const { store, view } = app;
  const chosen = useChosen(app);
  const colours = usePart(view, (it) => it.colours);
  const there = present(store);
  const kept = useKeptHeight(chosen);
  return (
    <div class="legends" {...kept}>
      {colours === "cause" ? (
        <div class="legend" role="group" aria-label="classes of causes; a press dims the others">
          {CLASSES.map((kind, i) => {
            if (!there.classes[i]) return null;
            const titles = store.causes.filter((it) => it.class === kind).map((it) => it.title);
            return <Entry key={kind} group={kind} title={titles.join(" · ")} text={duration(chosen.classUs[i]!)} />;
          })}
        </div>
      ) : (
        <div class="legend" role="group" aria-label="kinds of collections; a press dims the others">
          {KINDS.filter((it) => there.kinds.has(it)).map((kind) => {
            const sum = chosen.kinds.get(kind);
            return <Entry key={kind} group={kind} title="" text={sum ? `${count(sum.count)}, ${duration(sum.us)}` : "0"} />;
          })}
        </div>
      )}
      <MarkKeys kinds={there.kinds} isNamed={colours === "cause"} />
    </div>
  );
}

function Entry({ group, title, text }: { group: Group; title: string; text: string }) {
  const { view, store } = useApp();
  const only = usePart(view, (it) => it.only);
  return (
    <button type="button" class="entry" aria-pressed={only === group} title={title || undefined} onClick={() => view.set({ only: only === group ? null : group })}>
      <Swatch kind={group} /> {groupName(group, store.causes)} <span class="muted">{text}</span>
    </button>
  );
}

/** The marks above bars: of collections and of hiccups, with their number where the legend does not have it. */
function MarkKeys({ kinds, isNamed }: { kinds: Set<Collected>; isNamed: boolean }) {
  const app = useApp();
  const chosen = useChosen(app);
  const marked = KINDS.filter((it) => MARK_PATH[it] && kinds.has(it)).reverse();
  const hasHiccups = app.store.hiccupsBefore[app.store.count]! > 0;
  if (marked.length === 0 && !hasHiccups) return null;
  return (
    <ul class="marks">
      {marked.map((kind) => {
        const sum = chosen.kinds.get(kind);
        return (
          <li>
            <Mark kind={kind} /> {KIND_NAME[kind]} {isNamed && <span class="muted">{count(sum?.count ?? 0)}</span>}
          </li>
        );
      })}
      {hasHiccups && (
        <li class="hiccups" title="application threads did not run, though no safepoint was under way">
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <circle cx="6" cy="6" r="4" />
          </svg>{" "}
          hiccup (no safepoint) <span class="muted">{count(chosen.hiccups)}</span>
        </li>
      )}
    </ul>
  );
}

interface Present {
  classes: boolean[];
  kinds: Set<Collected>;
}

const one = new Float64Array(CLASSES.length);
let found = { store: null as Store | null, batches: 0, present: { classes: [], kinds: new Set() } as Present };

/** What any pause has, so that the entries stay where they are while sums change; anew only with the pauses. */
function present(store: Store): Present {
  const { batches } = store.version.value;
  if (found.store === store && found.batches === batches) return found.present;
  const totals = CLASSES.map(() => 0);
  const kinds = new Set<Collected>();
  for (let pause = 0; pause < store.count; pause++) {
    classTimes(store, pause, one);
    for (let i = 0; i < totals.length; i++) totals[i]! += one[i]!;
    kinds.add(String.fromCharCode(store.collected[pause]!) as Collected);
  }
  // Each pause's parts are whole microseconds: what remains below one for each is rounding.
  if (totals[totals.length - 1]! < store.count * 3) totals[totals.length - 1] = 0;
  found = { store, batches, present: { classes: totals.map((us) => us >= 1), kinds } };
  return found.present;
}
