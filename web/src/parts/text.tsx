// Text from outside: shown as text, cut where it is long, the whole of it one press away.

import { useState } from "preact/hooks";

/** From this length on a text is cut until someone asks for it. */
const LONG = 240;

export function Long({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= LONG) return <span class="wrap">{text}</span>;
  return (
    <span class="wrap">
      {isWhole ? text : `${text.slice(0, LONG)}…`}{" "}
      <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? "less" : `all ${text.length} characters`}
      </button>
    </span>
  );
}

/** Text with `code` in backticks, as the documentation is written. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}
    </>
  );
}

/** A list of texts; nothing where there are none. */
export function Texts({ title, texts, id }: { title: string; texts: string[]; id?: string }) {
  if (texts.length === 0) return null;
  return (
    <div class="texts" id={id}>
      <h3>{title}</h3>
      <ul>
        {texts.map((it) => (
          <li>
            <Long text={it} />
          </li>
        ))}
      </ul>
    </div>
  );
}
