// A pause that only a log tells of: its stages as a picture and as a table, and what the log would need.

import { useEffect } from "preact/hooks";
import { useApp } from "../app";
import { useCanvas } from "../canvas";
import { duration, percent, words } from "../format";
import type { Opened, Stage } from "../model";
import { readInk } from "../palette";
import { Name, Prose } from "../parts/text";
import { paintShapes } from "./shapes";
import { cpuText, stageShapes, stagesHeight } from "./stages";

export function Stages({ pause, opened }: { pause: number; opened: Opened }) {
  const { store, page, view } = useApp();
  const lengthUs = store.lengthUs[pause]!;
  const { ref, redraw } = useCanvas((ctx, width) => {
    paintShapes(ctx, stageShapes(opened, page.causes, lengthUs, 0, 0, width, readInk()), devicePixelRatio);
  });
  useEffect(() => view.watch((now, before) => now.repaint !== before.repaint && redraw()), []);
  return (
    <>
      <canvas ref={ref} class="stages" style={{ height: `${stagesHeight(opened)}px` }} role="img" aria-label="The stop in bars to scale: causes, stages, and the steps of its collections; the table beneath has the numbers" />
      <StageTable stages={opened.stages} lengthUs={lengthUs} />
    </>
  );
}

export function Needs({ opened }: { opened: Opened }) {
  if (opened.needs.length === 0) return null;
  return (
    <ul class="needs">
      {opened.needs.map((it) => (
        <li>
          <Prose text={it} />
        </li>
      ))}
    </ul>
  );
}

/** Stages with their steps beneath. */
export function StageTable({ stages, lengthUs }: { stages: Stage[]; lengthUs: number }) {
  return (
    <div class="phases">
      <h3>Stages, from the GC log</h3>
      <table class="facts">
        <tbody>
          {stages.map((stage) => (
            <>
              <Row name={stage.detail ? `${stage.name} · ${stage.detail}` : stage.name} us={stage.length_us} of={lengthUs} note={cpuText(stage.cpu_us)} />
              {stage.steps.map(([name, us]) => (
                <Row isStep name={name} us={us} of={lengthUs} />
              ))}
            </>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ name, us, of, note, isStep, isShare = true }: { name: string; us: number; of: number; note?: string; isStep?: boolean; isShare?: boolean }) {
  return (
    <tr class={isStep ? "step" : undefined}>
      <th scope="row">
        <Name text={name} />
        {note && <small>{note}</small>}
      </th>
      <td class="number">{duration(us)}</td>
      {isShare && <td class="number muted">{percent(us / (of || 1))}</td>}
      <td class="bar-cell">
        <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          <rect width={Math.min(1, us / (of || 1)) * 100} height="8" />
        </svg>
      </td>
    </tr>
  );
}

/** The parts that a log times beyond its steps, of which several may run at once. */
export function Phases({ opened }: { opened: Opened }) {
  const phases = opened.phases.filter((it) => it.length_us > 0);
  const longest = Math.max(0, ...phases.map((it) => it.length_us));
  const steps = opened.stages.reduce((sum, it) => sum + it.steps.length, 0);
  if (longest === 0 || phases.length <= steps) return null;
  return (
    <div class="phases">
      <h3>Phases of the collection, from the GC log</h3>
      <table class="facts">
        <tbody>
          {phases.map((phase) => (
            <Row name={words(phase.name)} us={phase.length_us} of={longest} isShare={false} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
