// Which pauses a filter lets through: by cause, by what the collector did, by length and by text. Knows nothing
// of the page; the range of the time line is not part of it.

import { KINDS, KIND_NAME } from "../palette";
import { type Store, hasOperation, isHiccup, kindName, operationName } from "../store";

export interface Filter {
  /** Id of a cause that has a part of the pause, or `unexplained`; empty: any. */
  cause: string;
  /** A character of `Collected`, or `h` for hiccups; empty: any. */
  kind: string;
  leastUs: number;
  /** In the name of the operation, of the kind, of a cause or of the JVM; empty: any. */
  text: string;
}

export const NO_FILTER: Filter = { cause: "", kind: "", leastUs: 0, text: "" };

export const isFilter = ({ cause, kind, leastUs, text }: Filter): boolean => cause !== "" || kind !== "" || leastUs > 0 || text !== "";

/** For each pause 1 where it is let through; null where all are. */
export function maskOf(store: Store, filter: Filter): Uint8Array | null {
  if (!isFilter(filter)) return null;
  const mask = new Uint8Array(store.count);
  const hasText = textTest(store, filter.text.trim().toLowerCase());
  const hasCause = causeTest(store, filter.cause);
  for (let pause = 0; pause < store.count; pause++) {
    if (store.lengthUs[pause]! < filter.leastUs || !hasKind(store, pause, filter.kind)) continue;
    if (hasCause(pause) && hasText(pause)) mask[pause] = 1;
  }
  return mask;
}

function hasKind(store: Store, pause: number, kind: string): boolean {
  if (kind === "") return true;
  const isOne = isHiccup(store, pause);
  return kind === "h" ? isOne : !isOne && store.collected[pause] === kind.charCodeAt(0);
}

/** Time that no cause has; what rounding leaves is none. */
export function unexplainedUs(store: Store, pause: number): number {
  const [from, to] = [store.partFrom[pause]!, store.partFrom[pause + 1]!];
  let rest = store.lengthUs[pause]!;
  for (let part = from; part < to; part++) rest -= store.partUs[part]!;
  return rest > to - from + 1 ? rest : 0;
}

function causeTest(store: Store, id: string): (pause: number) => boolean {
  if (id === "") return () => true;
  if (id === "unexplained") return (pause) => unexplainedUs(store, pause) > 0;
  const cause = store.causes.findIndex((it) => it.id === id);
  return (pause) => {
    for (let part = store.partFrom[pause]!; part < store.partFrom[pause + 1]!; part++) {
      if (store.partCause[part] === cause && store.partUs[part]! > 0) return true;
    }
    return false;
  };
}

/** Names are few and pauses many: each name is searched once. */
function textTest(store: Store, text: string): (pause: number) => boolean {
  if (text === "") return () => true;
  const has = (name: string): boolean => name.toLowerCase().includes(text);
  const operations = store.operations.map(has);
  const jvms = store.jvms.map(has);
  const causes = store.causes.map((it) => has(it.title) || has(it.id));
  const kinds = new Map(Object.entries(KIND_NAME).map(([kind, name]) => [kind.charCodeAt(0), kind !== "-" && has(name)]));
  return (pause) => {
    if (operations[store.operation[pause]!] || jvms[store.jvm[pause]!] || kinds.get(store.collected[pause]!)) return true;
    if (!hasOperation(store, pause) && has(operationName(store, pause))) return true;
    if (has(kindName(store, pause))) return true;
    for (let part = store.partFrom[pause]!; part < store.partFrom[pause + 1]!; part++) if (causes[store.partCause[part]!]) return true;
    return false;
  };
}

/** The filter as fields of the address, and back; what is not understood is left out. */
export function filterFields({ cause, kind, leastUs, text }: Filter): [string, string][] {
  const fields: [string, string][] = [
    ["cause", cause],
    ["kind", kind],
    ["min", leastUs > 0 ? String(leastUs) : ""],
    ["text", text],
  ];
  return fields.filter(([, value]) => value !== "");
}

/** Nobody types more, and an address may hold anything. */
const MOST_TEXT = 200;

export function filterOf(fields: URLSearchParams): Filter {
  const of = (name: string): string => (fields.get(name) ?? "").slice(0, MOST_TEXT);
  const least = of("min");
  const kind = of("kind");
  return {
    cause: /^[a-z0-9-]*$/.test(of("cause")) ? of("cause") : "",
    kind: kind === "h" || (KINDS as string[]).includes(kind) ? kind : "",
    leastUs: /^\d{1,15}$/.test(least) ? Number(least) : 0,
    text: of("text"),
  };
}
