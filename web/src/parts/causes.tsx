// The causes, ranked: how much, who, where, what proves it, what to do; the page of each folded.

import { useApp } from "../app";
import { ChosenNote } from "../chosen/bar";
import { extentOf } from "../chosen/cards";
import { useChosen } from "../chosen/follow";
import type { Chosen } from "../chosen/sums";
import { plural } from "../format";
import type { Advice, CauseInfo, Finding } from "../model";
import { CLASS_COLOUR, CLASS_INK } from "../palette";
import type { Store } from "../store";
import { Command } from "./copy";
import { Long, Name, Prose, Said, beginning } from "./text";

export function Causes() {
  const app = useApp();
  const { answer, causes } = app.page;
  const chosen = useChosen(app);
  const findings = chosen.isWhole ? answer.findings : chosenFindings(app.store, answer.findings, chosen);
  const others = answer.findings.length - findings.length;
  return (
    <section id="causes" class="panel" aria-labelledby="causes-title">
      <div class="panel-head">
        <h2 id="causes-title">Causes</h2>
        {!chosen.isWhole && <span class="muted">times are of the chosen pauses, what is said of a cause is of the whole run</span>}
      </div>
      <ChosenNote />
      {findings.map((finding) => (
        <Cause key={finding.number} finding={finding} cause={causes[finding.cause]!} said={saidBefore(findings, finding)} />
      ))}
      {others > 0 && <p class="muted">{plural(others, "other cause")} of the run had no part in these pauses.</p>}
      {answer.minor.length > 0 && chosen.isWhole && (
        <p class="minor">
          <b>Minor</b> <Long text={answer.minor.join(" · ")} />
        </p>
      )}
    </section>
  );
}

/** Which advice a cause before this one has, by its text: what is said twice is not said again. */
export function saidBefore(findings: Finding[], finding: Finding): Map<string, number> {
  const said = new Map<string, number>();
  for (const it of findings) {
    if (it === finding) break;
    for (const { when, text } of it.advice) if (!said.has(`${when} ${text}`)) said.set(`${when} ${text}`, it.number);
  }
  return said;
}

/** Those with a part of the chosen pauses, most time first. What is part of no pause at all, as the time that threads
 * waited for memory, stays as it is, at the end. */
export function chosenFindings(store: Store, findings: Finding[], chosen: Chosen): Finding[] {
  const isPart = (cause: number): boolean => store.partCause.subarray(0, store.partFrom[store.count]).includes(cause);
  const us = (it: Finding): number => chosen.causeUs[it.cause] ?? 0;
  const here = findings.filter((it) => us(it) > 0).sort((a, b) => us(b) - us(a));
  const outside = findings.filter((it) => us(it) === 0 && !isPart(it.cause));
  return [...here.map((it) => ({ ...it, ...extentOf(chosen, it.cause) })), ...outside.map((it) => ({ ...it, extent: `whole run: ${it.extent}` }))];
}

/** `newest`: of which pause the finding is, where it is not of all. */
export function Cause({ finding, cause, newest, said }: { finding: Finding; cause: CauseInfo; newest?: string; said?: Map<string, number> }) {
  return (
    <article class="cause">
      {/* The number in the colour of the class, set through the object model as the policy demands. */}
      <span class="rank" style={{ background: CLASS_COLOUR[cause.class], color: CLASS_INK[cause.class] }}>
        {finding.number}
      </span>
      <div class="cause-body">
        <h3>
          <Long text={cause.title} />{" "}
          <small>
            {[finding.extent, finding.share, finding.certainty].filter(Boolean).join(" · ")}
          </small>
        </h3>
        {newest && <p class="muted">{newest}</p>}
        {finding.story.map((it) => (
          <p>
            <Said text={it} />
          </p>
        ))}
        <dl class="facts-list">
          <Lines name="how" texts={finding.mechanisms} />
          <Lines name="who" texts={finding.who} />
          <Lines name="where" texts={finding.place ? [finding.place] : []} />
          {finding.evidence.length > 0 && (
            <div>
              <dt>evidence</dt>
              {finding.evidence.map(([source, text]) => (
                <dd>
                  <Source name={source} /> <Said text={text} />
                </dd>
              ))}
            </div>
          )}
          {finding.frames.length > 0 && (
            <div>
              <dt>kernel frames</dt>
              <dd>
                <code class="frames">
                  <Long text={finding.frames.join(" < ")} most={1_200} />
                </code>
              </dd>
            </div>
          )}
        </dl>
        <Suspects finding={finding} />
        <Remedies advice={finding.advice} said={said} />
        <Documentation cause={cause} />
      </div>
    </article>
  );
}

function Source({ name }: { name: string }) {
  return (
    <bdi class="muted">{beginning(name, 60)}</bdi>
  );
}

function Lines({ name, texts }: { name: string; texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      {texts.map((it) => (
        <dd>
          <Said text={it} />
        </dd>
      ))}
    </div>
  );
}

function Suspects({ finding }: { finding: Finding }) {
  const groups: [string, Finding["suspects"]][] = [
    ["Could be", finding.suspects.filter((it) => !it.is_unlikely)],
    ["Unlikely", finding.suspects.filter((it) => it.is_unlikely)],
  ];
  return (
    <>
      {groups.map(
        ([title, suspects]) =>
          suspects.length > 0 && (
            <div class="suspects">
              <h4>{title}</h4>
              <ul>
                {suspects.map((it) => (
                  <li>
                    <b>
                      <Long text={it.title} />
                    </b>
                    <dl class="facts-list">
                      <Lines name="for" texts={it.for} />
                      <Lines name="against" texts={it.against} />
                      <Lines name="test" texts={it.test ? [it.test] : []} />
                    </dl>
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
    </>
  );
}

function Remedies({ advice, said }: { advice: Advice[]; said?: Map<string, number> }) {
  if (advice.length === 0) return null;
  return (
    <dl class="remedies">
      {advice.map((it) => (
        <div>
          <dt>
            <Name text={it.when} />
          </dt>
          <dd>
            <Remedy advice={it} before={said?.get(`${it.when} ${it.text}`)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** `before`: the number of the cause above that has the same advice. */
function Remedy({ advice: it, before }: { advice: Advice; before: number | undefined }) {
  if (before !== undefined) {
    return (
      <p class="muted">
        <Long text={it.apply ?? it.text} />, as for cause {before}
      </p>
    );
  }
  return (
    <>
      {it.apply && <Command text={it.apply} copy={it.apply} />}
      {it.text !== it.apply && (
        <span class="by-hand">
          {it.apply && <span class="muted">by hand </span>}
          <Command text={it.text} copy={it.copy} />
        </span>
      )}
      {it.note && (
        <p class="muted">
          <Said text={it.note} />
        </p>
      )}
    </>
  );
}

function Documentation({ cause }: { cause: CauseInfo }) {
  if (cause.page.length === 0) return null;
  return (
    <details>
      <summary>
        About this cause: <bdi>{beginning(cause.title, 100)}</bdi>
      </summary>
      {cause.page.map(({ heading, lines }) => (
        <>
          <h4>{heading}</h4>
          {lines.map((it) => (
            <p>
              <Prose text={it} />
            </p>
          ))}
        </>
      ))}
    </details>
  );
}
