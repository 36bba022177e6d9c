// What to do, as one list under the verdict: each action once, with the time of the causes that it helps.

import { useState } from "preact/hooks";
import type { Answer, ToDo } from "../model";
import { Command } from "./copy";
import { Long, beginning } from "./text";

/** More would push the time line out of sight; the others are one press away. */
const FIRST = 3;

/** Steps of the verdict that are not in the list: to record, or to decide among suspects. */
export function otherSteps({ steps, to_do }: Answer): Answer["steps"] {
  const isListed = (text: string): boolean => to_do.some((it) => it.text === text);
  const others = steps.filter((it) => !isListed(it.text));
  // `for` names the cause of the steps after it, as each entry of the list does.
  return others.every((it) => it.when === "for") ? [] : others;
}

export function WhatToDo({ list }: { list: ToDo[] }) {
  const [isWhole, setWhole] = useState(false);
  if (list.length === 0) return null;
  return (
    <>
      <ol class="to-do" aria-label="what to do">
        {list.map((it, index) => (
          <li class={index >= FIRST && !isWhole ? "more" : undefined}>
            <span class="when">
              <bdi>{beginning(it.when, 40)}</bdi>
            </span>
            <div>
              <Command text={it.text} copy={it.copy} />{" "}
              {it.saves && (
                <span class="muted saves">
                  <Long text={it.saves} />
                </span>
              )}
            </div>
          </li>
        ))}
      </ol>
      {list.length > FIRST && (
        <button type="button" class="link all-to-do" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? `the first ${FIRST}` : `all ${list.length} that help`}
        </button>
      )}
    </>
  );
}
