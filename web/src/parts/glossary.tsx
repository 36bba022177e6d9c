// What the words of the first screen mean: closed, one press away, and in the print.

import { useApp } from "../app";
import type { Meaning } from "../model";
import { Said } from "./text";

export function Glossary() {
  return <Words words={useApp().page.answer.words} />;
}

export function Words({ words }: { words: Meaning[] }) {
  if (words.length === 0) return null;
  return (
    <details class="glossary" id="words">
      <summary>What the words mean</summary>
      <dl>
        {words.map(({ term, meaning }) => (
          <div>
            <dt>{term}</dt>
            <dd>
              <Said text={meaning} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
