// The answer: the verdict as a headline, what to do first, and the numbers that matter.

import { useApp } from "../app";
import { ChosenNote } from "../chosen/bar";
import { chosenCards } from "../chosen/cards";
import { useChosen } from "../chosen/follow";
import { useKeptHeight } from "../chosen/kept";
import { glued } from "../format";
import type { Answer } from "../model";
import { Command } from "./copy";
import { Glossary } from "./glossary";
import { Long, Name, Said, beginning } from "./text";
import { WhatToDo, otherSteps } from "./to-do";

/** The headline ends with the first sentence or semicolon, where that leaves enough to be one. */
function splitVerdict(text: string): [string, string] {
  const end = text.search(/[.;]\s+\S/);
  if (text.length <= 110 || end < 20 || end > 400) return [text, ""];
  const head = text[end] === "." ? text.slice(0, end + 1) : text.slice(0, end);
  return [head, text.slice(end + 1).trim()];
}

/** What the program calls the share of the time that has a cause. */
const EXPLAINED = ["explained", "in collections"];

export function Verdict() {
  const { answer } = useApp().page;
  const steps = otherSteps(answer);
  const [head, rest] = splitVerdict(answer.verdict);
  return (
    <section class="verdict" aria-labelledby="verdict">
      <h1 id="verdict">
        <Said text={glued(head)} />
      </h1>
      {rest && (
        <p class="lead">
          <Said text={rest} />
        </p>
      )}
      {steps.length > 0 && (
        <dl class="steps">
          {steps.map((step) => (
            <div>
              <dt>
                <Name text={step.when} />
              </dt>
              <dd>
                <Command text={step.text} copy={step.copy} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <WhatToDo list={answer.to_do} />
      {answer.header.length > 0 && (
        <p class="muted header-line">
          <Long text={answer.header.join(" · ")} />
        </p>
      )}
      {answer.hiccup && <p class="note"><Long text={answer.hiccup} /></p>}
      {answer.cut_stop && <p class="note"><Long text={answer.cut_stop} /></p>}
      <Glossary />
      <Sums />
    </section>
  );
}

/** The cards, of all pauses or of those that are chosen. */
function Sums() {
  const app = useApp();
  const { answer } = app.page;
  const chosen = useChosen(app);
  const kept = useKeptHeight(chosen);
  const explained = answer.cards.find((it) => EXPLAINED.includes(it.label))?.label ?? EXPLAINED[0]!;
  return (
    <div {...kept}>
      <ChosenNote isKept />
      <Cards cards={chosen.isWhole ? answer.cards : chosenCards(app.store, chosen, explained)} />
    </div>
  );
}

export function Cards({ cards }: { cards: Answer["cards"] }) {
  if (cards.length === 0) return null;
  return (
    <dl class="cards">
      {cards.map((card) => (
        <div>
          <dt>
            <bdi>{beginning(card.label, 80)}</bdi>
          </dt>
          <dd>
            <bdi>{beginning(card.value, 40)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
