// Text from outside: shown as text, cut where it is long, the whole of it one press away.

import { useState } from "preact/hooks";

/** From this length on a text is cut until someone asks for it. */
const LONG = 240;

/** The beginning of a text; no character is cut in two. */
export function beginning(text: string, most: number): string {
  const isPair = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  return text.slice(0, isPair ? most - 1 : most);
}

export function Long({ text, most = LONG }: { text: string; most?: number }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= most) return <bdi class="wrap">{text}</bdi>;
  return (
    <span class="wrap">
      <bdi>{isWhole ? text : `${beginning(text, most)}…`}</bdi>{" "}
      <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? "less" : `all ${text.length} characters`}
      </button>
    </span>
  );
}

/** A name on one line, cut by the style sheet where there is no room; the whole of it on hover. */
export function Name({ text }: { text: string }) {
  return (
    <bdi class="clip name" title={text.length > 24 ? text : undefined}>
      {beginning(text, 400)}
    </bdi>
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

/** A sentence in which names and options are in backticks, as on the terminal. */
export function Said({ text }: { text: string }) {
  const isWhole = text.split("`").length % 2 === 1;
  if (text.length > LONG || !isWhole) return <Long text={text} />;
  return (
    <bdi class="wrap">
      <Prose text={text} />
    </bdi>
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
            <Said text={it} />
          </li>
        ))}
      </ul>
    </div>
  );
}
