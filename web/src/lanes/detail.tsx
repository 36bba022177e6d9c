// What is known of the selected slice: the wait as a table, the kernel stack with the frame that proves it.

import type { ComponentChildren } from "preact";
import { duration } from "../format";
import type { Opened, Wait } from "../model";
import { STATE_NAME } from "../palette";
import { Long, Name, beginning } from "../parts/text";
import type { Slice } from "./picture";

export function Detail({ opened, slice }: { opened: Opened; slice: Slice | null }) {
  const lane = slice ? opened.lanes[slice.lane] : undefined;
  const span = lane && slice ? lane.spans[slice.span] : undefined;
  if (!lane || !span) return <p class="hint">Select a slice, by a click or with the arrow keys, to see what it waited for.</p>;
  const wait = span.wait === null ? undefined : opened.waits[span.wait];
  const waker = span.woken_by === null ? undefined : opened.lanes[span.woken_by];
  return (
    <div class="detail" id="slice">
      <div>
        <h3>
          <Name text={lane.name} />
          · {STATE_NAME[span.state]} {duration(span.length_us)}
        </h3>
        <table class="facts">
          <tbody>
            <Fact name="begins after">{duration(span.start_us)}</Fact>
            {wait && <WaitFacts wait={wait} />}
            {waker && !wait?.thread && (
              <Fact name="woken by">
                <Long text={waker.name} />
              </Fact>
            )}
            {wait && wait.writers.length > 0 && (
              <Fact name="who wrote there">
                {wait.writers.map((it) => (
                  <div>
                    <Long text={it} />
                  </div>
                ))}
              </Fact>
            )}
            {wait?.certainty && <Fact name="certainty">{beginning(wait.certainty, 80)}</Fact>}
          </tbody>
        </table>
        {!wait && <p class="hint">Nothing more was recorded of this slice.</p>}
      </div>
      {wait && wait.stack.length > 0 && <Stack wait={wait} />}
    </div>
  );
}

const WAIT_FACTS: [string, (wait: Wait) => string][] = [
  ["call", (it) => it.call],
  ["file", (it) => it.file],
  ["file system", (it) => it.file_system],
  ["device", (it) => it.device],
  ["waits for", (it) => it.waits_for],
  ["CPU used by", (it) => it.cpu_holder],
];

function WaitFacts({ wait }: { wait: Wait }) {
  return (
    <>
      {WAIT_FACTS.map(([name, pick]) => {
        const text = pick(wait);
        return (
          text && (
            <Fact name={name}>
              <Long text={text} />
            </Fact>
          )
        );
      })}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  );
}

function Stack({ wait }: { wait: Wait }) {
  return (
    <div>
      <h3>Kernel stack</h3>
      <ol class="stack" id="kernel-stack">
        {wait.stack.map((frame, index) => (
          <li class={index === wait.marked ? "marked" : undefined}>
            <code>
              <Long text={frame} />
            </code>
            {index === wait.marked && (
              <em>
                <Long text={wait.waits_for ? `proves the wait: ${wait.waits_for}` : "proves the wait"} />
              </em>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
