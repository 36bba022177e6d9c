// What the words of the first screen mean: closed, one press away, and in the print.

import { useApp } from "../app";

export function Glossary() {
  const { words } = useApp().page.answer;
  if (words.length === 0) return null;
  return (
    <details class="glossary" id="words">
      <summary>What the words mean</summary>
      <dl>
        {words.map(({ term, meaning }) => (
          <div>
            <dt>{term}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
