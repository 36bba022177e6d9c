// What is not explained, not checked, lost or ruled out, and how all of it was measured, as plainly as in a
// terminal.

import { useApp } from "../app";
import { bytes, count, durationNs } from "../format";
import type { Numbers } from "../model";
import { Facts } from "../tables/table";
import { Command } from "./copy";
import { Long, Name, Texts } from "./text";

export function Rest() {
  const { rest } = useApp().page.answer;
  if (!rest) return null;
  return (
    <section id="unexplained" class="panel" aria-labelledby="unexplained-title">
      <div class="panel-head">
        <h2 id="unexplained-title">Unexplained</h2>
      </div>
      <p>
        <Long text={rest.text} />
      </p>
      {rest.seen.length > 0 && (
        <table class="facts">
          <caption>What was seen of it</caption>
          <tbody>
            {rest.seen.map(([time, what]) => (
              <tr>
                <th scope="row">
                  <Name text={time} />
                </th>
                <td>
                  <Long text={what} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rest.command && <Command text={rest.command} copy={rest.command} />}
    </section>
  );
}

export function Measured() {
  const { answer, numbers, version } = useApp().page;
  return (
    <section id="measured" class="panel" aria-labelledby="measured-title">
      <div class="panel-head">
        <h2 id="measured-title">How this was measured</h2>
      </div>
      <p class="muted">
        Measured: seen by the kernel. Inferred: concluded from a log or samples.
      </p>
      <div class="columns">
        <Facts title="Sources" facts={sourceFacts(numbers, version)} />
        {answer.numbers.length > 0 && <Facts title="From the GC log" facts={answer.numbers} />}
        <Facts title="Sources that were missing" facts={numbers.coverage.missing.map((it): [string, string] => [it.source, it.reason])} />
      </div>
      <Texts title="Not checked" texts={answer.not_checked.map((it) => it.replace(/^Not checked: /, ""))} id="not-checked" />
      <Texts title="Lost" texts={answer.losses} />
      <Texts title="Notes" texts={answer.notes} />
      {answer.ruled_out.length > 0 && (
        <div class="texts">
          <h3>Ruled out</h3>
          <p>
            <Long text={answer.ruled_out.join(" · ")} most={2_000} />
          </p>
        </div>
      )}
      {answer.flags.length > 0 && (
        <details>
          <summary>Flags of the JVM ({answer.flags.length})</summary>
          <ul class="flags">
            {answer.flags.map((it) => (
              <li>
                <code>
                  <Long text={it} />
                </code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function sourceFacts({ coverage, jvm, clock }: Numbers, version: string): [string, string | null][] {
  const { cost } = coverage;
  return [
    ["sources", coverage.sources.join(", ")],
    ["clock", clock],
    ["JVM", [jvm.version, jvm.collector, jvm.main, jvm.pid === null ? null : `pid ${jvm.pid}`].filter(Boolean).join(" · ")],
    ["events lost", count(coverage.lost_events)],
    ["CPU time of the recorder", cost.recorder_cpu_ns > 0 ? durationNs(cost.recorder_cpu_ns) : null],
    ["memory of the recorder", cost.recorder_rss_bytes > 0 ? bytes(cost.recorder_rss_bytes) : null],
    ["CPU time of the JVM meanwhile", cost.jvm_cpu_ns > 0 ? durationNs(cost.jvm_cpu_ns) : null],
    ["whypause", version],
  ];
}
