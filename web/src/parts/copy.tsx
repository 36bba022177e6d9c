// A button that copies a command or flags, and says that it did.

import { useState } from "preact/hooks";
import { Long } from "./text";

export function Copy({ text }: { text: string }) {
  const [state, setState] = useState<"copy" | "copied" | "not copied">("copy");
  const copy = async (): Promise<void> => {
    setState((await copyText(text)) ? "copied" : "not copied");
    setTimeout(() => setState("copy"), 1_600);
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`${state} ${text.slice(0, 120)}`} data-copy={text}>
      {state}
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For pages opened from a disk in browsers that keep the clipboard for https. */
function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "hidden";
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
  }
}

/** A command with its copy button; what is no command is a phrase. */
export function Command({ text, copy }: { text: string; copy: string | null }) {
  if (copy === null) return <Long text={text} />;
  return (
    <span class="command">
      <code>
        <Long text={text} most={600} />
      </code>
      <Copy text={copy} />
    </span>
  );
}
