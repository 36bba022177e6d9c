// The answer: the verdict as a headline, what to do first, and the numbers that matter.

import { useApp } from "../app";
import { Command } from "./copy";
import { Long } from "./text";

/** A headline ends with its first sentence; `e.g.` and `1.5` do not end one. */
function sentences(text: string): [string, string] {
  const end = text.search(/[.;:]\s+\S/);
  const isShort = text.length <= 110;
  if (isShort || end < 20) return [text, ""];
  const head = text.slice(0, end);
  return [text[end] === "." ? `${head}.` : head, text.slice(end + 1).trim()];
}

export function Verdict() {
  const { answer } = useApp().page;
  const [head, rest] = splitVerdict(answer.verdict);
  return (
    <section class="verdict" aria-labelledby="verdict">
      <h1 id="verdict" data-verdict={answer.verdict}>
        {head}
      </h1>
      {rest && (
        <p class="lead">
          <Long text={rest} />
        </p>
      )}
      {answer.steps.length > 0 && (
        <dl class="steps">
          {answer.steps.map((step) => (
            <div>
              <dt>{step.when}</dt>
              <dd>
                <Command text={step.text} copy={step.copy} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {answer.header.map((it) => (
        <p class="muted header-line">
          <Long text={it} />
        </p>
      ))}
      {answer.hiccup && <p class="note">{answer.hiccup}</p>}
      {answer.cut_stop && <p class="note">{answer.cut_stop}</p>}
      {answer.cards.length > 0 && (
        <dl class="cards">
          {answer.cards.map((card) => (
            <div>
              <dt>{card.label}</dt>
              <dd>{card.value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** `11.2 s of 11.6 s stopped: the VM thread waited …; cat holds …. Measured.`: the headline ends at the first
 * sentence or semicolon, a colon near the start belongs to it. */
function splitVerdict(text: string): [string, string] {
  const [head, rest] = sentences(text.replace(/: /, "\u0001 "));
  return [head.replace("\u0001", ":"), rest.replace("\u0001", ":")];
}
