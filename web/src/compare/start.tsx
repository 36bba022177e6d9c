// The entry for the page of a comparison: two runs, what changed, and whether that is more than chance.

import { type ComponentChildren, render } from "preact";
import { type Theme, goTo } from "../app";
import type { CauseInfo, ComparePage } from "../model";
import { Observable } from "../observable";
import { Words } from "../parts/glossary";
import { Swatch } from "../parts/swatch";
import { Long, Said } from "../parts/text";
import { ThemeAndPrint } from "../parts/theme";
import { createStore } from "../store";
import { followTheme } from "../theme";
import { Lines } from "./lines";
import { counted, lengthPairs } from "./lengths";
import { Pairs, RunKeys } from "./pairs";

export interface CompareView {
  theme: Theme;
  repaint: number;
}

const SECTIONS = [
  ["timeline", "Time lines"],
  ["causes", "Causes"],
  ["lengths", "Lengths"],
  ["numbers", "Numbers"],
] as const;

export function startCompare(main: HTMLElement, page: ComparePage): void {
  const view = new Observable<CompareView>({ theme: "system", repaint: 0 });
  followTheme(view);
  const bar = document.createElement("header");
  bar.className = "topbar";
  main.before(bar);
  main.replaceChildren();
  render(<Bar page={page} view={view} />, bar);
  render(<Body page={page} view={view} />, main);
}

const has: Record<string, (page: ComparePage) => boolean> = {
  causes: (it) => it.causes.length > 0,
  lengths: (it) => it.runs.some((run) => run.pauses.count > 0),
};

function Bar({ page, view }: { page: ComparePage; view: Observable<CompareView> }) {
  const [before, after] = [page.runs[0].title, page.runs[1].title];
  const title = before === after ? `${after}, before and after` : `${before} → ${after}`;
  const go = (event: Event, id: string): void => {
    event.preventDefault();
    goTo(id);
  };
  return (
    <>
      <a class="skip" href="#timeline" onClick={(event) => go(event, "timeline")}>
        to the time lines
      </a>
      <b class="brand">whypause</b>
      <span class="context clip" title={title}>
        <bdi>{title}</bdi>
      </span>
      <nav aria-label="sections">
        {SECTIONS.filter(([id]) => has[id]?.(page) ?? true).map(([id, name]) => (
          <a href={`#${id}`} onClick={(event) => go(event, id)}>
            {name}
          </a>
        ))}
      </nav>
      <div class="tools">
        <ThemeAndPrint view={view} />
      </div>
    </>
  );
}

function Body({ page, view }: { page: ComparePage; view: Observable<CompareView> }) {
  const stores = page.runs.map((run) => createStore(run.pauses, run.causes as CauseInfo[])) as [ReturnType<typeof createStore>, ReturnType<typeof createStore>];
  // A run is as long as it was recorded, also where its last pause is long before that.
  stores.forEach((store, run) => (store.endUs = Math.max(store.endUs, page.runs[run]!.span_us)));
  const masks = stores.map((it) => counted(it, page.of_collections)) as [Uint8Array, Uint8Array];
  const spans: [number, number] = [page.runs[0].span_us, page.runs[1].span_us];
  const lengths = lengthPairs(stores, masks, spans);
  const scale = spans.every((it) => it > 0) ? "share of each run's time, on one linear scale; changes are of the time stopped per second" : "time stopped, on one linear scale";
  return (
    <>
      <Verdict page={page} />
      <Lines page={page} stores={stores} masks={masks} view={view} />
      {page.causes.length > 0 && (
        <Section id="causes" title="Causes" about={scale}>
          <Pairs caption="time stopped by cause, before and after" rows={page.causes.map((it) => ({ ...it, mark: <Swatch kind={it.class} /> }))} />
        </Section>
      )}
      {lengths.length > 0 && (
        <Section id="lengths" title="Time stopped, by length of pause" about={scale}>
          <Pairs caption="time stopped by length of pause, before and after" rows={lengths} />
        </Section>
      )}
      <Changes page={page} />
    </>
  );
}

function Section({ id, title, about, children }: { id: string; title: string; about: string; children: ComponentChildren }) {
  return (
    <section id={id} class="panel" aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <span class="muted">{about}</span>
        <RunKeys />
      </div>
      {children}
    </section>
  );
}

function Verdict({ page }: { page: ComparePage }) {
  const [head = "", ...rest] = page.verdict;
  return (
    <section class="verdict" aria-labelledby="verdict">
      <h1 id="verdict">
        <Said text={head} />
      </h1>
      {rest.map((it) => (
        <p class="lead">
          <Said text={it} />
        </p>
      ))}
      {page.caveats.map((it) => (
        <p class="note caveat">
          <strong>
            <Said text={it} />
          </strong>
        </p>
      ))}
      {page.hiccup && (
        <p class="note">
          <Long text={page.hiccup} />
        </p>
      )}
      <Words words={page.words} />
      <dl class="cards pair-cards">
        {page.cards.map((it) => (
          <div>
            <dt>{it.label}</dt>
            <dd>
              <span class="was">
                <span class="hidden">before </span>
                {it.before}
              </span>{" "}
              <span aria-hidden="true">→</span>{" "}
              <span>
                <span class="hidden">after </span>
                {it.after}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const HEADS = ["number", "before", "after", "change", "note"];

/** On a narrow screen each row is a card, with the heads in its cells. */
function Changes({ page }: { page: ComparePage }) {
  return (
    <section id="numbers" class="panel" aria-labelledby="numbers-title">
      <div class="panel-head">
        <h2 id="numbers-title">Numbers</h2>
        <span class="muted">significant: with 99 % confidence, if pauses do not depend on each other</span>
      </div>
      <table class="data changes">
        <caption class="hidden">numbers of both runs, and whether they differ</caption>
        <thead>
          <tr>
            {HEADS.map((it, at) => (
              <th scope="col" class={at > 0 && at < 4 ? "number" : undefined}>
                {it}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {page.rows.map(({ cells, is_significant }) => (
            <tr class={is_significant ? "significant" : undefined}>
              <th scope="row">{cells[0]}</th>
              {cells.slice(1).map((it, at) => (
                <td class={`${HEADS[at + 1]}${at < 3 ? " number" : ""}${it ? "" : " empty"}`}>{it}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
