// The body of a live page: what is watched and whether it still is, the answer of the kept time as the headline
// with the last event beneath it, and the sections that need nothing but pauses.

import { useEffect, useRef, useState } from "preact/hooks";
import { type App, useApp } from "../app";
import { fullTime, timeOfDay } from "../clock";
import { duration } from "../format";
import { PauseSection } from "../lanes/section";
import type { Hello } from "../model";
import { usePart } from "../observable";
import { Cause } from "../parts/causes";
import { Command } from "../parts/copy";
import { Words } from "../parts/glossary";
import { KeysDialog } from "../parts/keys";
import { Long } from "../parts/text";
import { Cards } from "../parts/verdict";
import { Spoken } from "../start";
import { StallsSection } from "../stalls/section";
import { PausesSection } from "../tables/pauses";
import { TimeSection } from "../time/section";
import type { Connection, Live, LiveCause } from "./feed";

/** Events may come faster than they can be spoken. */
const SPEAK_MS = 1_000;

export function LiveBody() {
  const { store, view, stalls, live } = useApp();
  const hasPauses = usePart(store.version, () => store.count > 0);
  const hasStalls = usePart(stalls.version, () => stalls.episodes.length > 0);
  const isNewest = usePart(view, (it) => it.isNewest);
  return (
    <>
      <Now live={live!} />
      <TimeSection />
      {(hasPauses || hasStalls) && <PauseSection />}
      <LiveCauses live={live!} />
      {hasStalls && <StallsSection />}
      {hasPauses && <PausesSection />}
      <KeysDialog />
      {!isNewest && <Spoken />}
    </>
  );
}

function Now({ live }: { live: Live }) {
  const app = useApp();
  usePart(app.calm, (it) => it.second);
  const line = usePart(live.state, (it) => it.line);
  const isKept = usePart(live.state, (it) => it.connection === "kept");
  const zone = usePart(app.view, (it) => it.zone);
  const since = fullTime(0, zone, app.clock);
  return (
    <section class="verdict live" aria-labelledby="verdict">
      <Status live={live} />
      <h1 id="verdict">
        <Long text={live.headline || `No pause of ${duration(app.store.limitUs)} or more since ${since}`} />
      </h1>
      <p class="newest-line">
        {line && (
          <>
            <span class="muted">{isKept ? "longest" : "newest"}</span> <Long text={line} />
          </>
        )}
      </p>
      <First live={live} />
      <Announced line={line} />
      <Words words={live.hello.words} />
      <Cards cards={live.cards} />
    </section>
  );
}

/** What can be done about the cause that most of the time is of: now, and at the next start. */
function First({ live }: { live: Live }) {
  const { store } = useApp();
  const most = live.causes[0];
  const cause = most && store.causes[most.cause];
  if (!most || cause?.nature !== "fault") return null;
  const { advice } = most.finding;
  const steps = [...new Set(advice.map((it) => it.when))].map((when) => advice.find((it) => it.when === when)!).slice(0, 2);
  return (
    <dl class="steps">
      {steps.map((it) => (
        <div>
          <dt>{it.when}</dt>
          <dd>
            <Command text={it.apply ?? it.text} copy={it.apply ?? it.copy} /> <span class="muted">for {cause.short}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function statusText({ title, limit_ms }: Hello, { connection, why }: Live["state"]["value"]): string {
  if (connection === "kept") return title;
  if (connection !== "live") return connectionText(connection, why);
  return `watching ${title}, pauses of ${duration(limit_ms * 1_000)} or more · live`;
}

/** What is said where nothing comes any more. */
export function connectionText(connection: Connection, why: string): string {
  if (connection === "awaiting") return `${why}; waiting for the next JVM`;
  return connection === "over" ? `the watch is over: ${why}` : "connection lost, trying again";
}

function Status({ live }: { live: Live }) {
  const text = usePart(live.state, (it) => statusText(live.hello, it));
  const connection = usePart(live.state, (it) => it.connection);
  return (
    <p role="status" id="status" class={`status ${connection}`}>
      <Long text={text} />
    </p>
  );
}

/** The newest for those who hear it, but not more often than can be spoken. */
function Announced({ line }: { line: string }) {
  const [spoken, setSpoken] = useState("");
  const latest = useRef(line);
  latest.current = line;
  const isDue = spoken !== line;
  useEffect(() => {
    if (!isDue) return;
    const timer = setInterval(() => setSpoken(latest.current), SPEAK_MS);
    return () => clearInterval(timer);
  }, [isDue]);
  return (
    <p class="hidden" aria-live="polite" id="announced">
      {spoken}
    </p>
  );
}

function LiveCauses({ live }: { live: Live }) {
  const app = useApp();
  usePart(app.calm, (it) => it.batches);
  usePart(app.view, (it) => it.zone);
  if (live.causes.length === 0) return null;
  return (
    <section id="causes" class="panel" aria-labelledby="causes-title">
      <div class="panel-head">
        <h2 id="causes-title">Causes</h2>
        <span class="muted">sorted by time, example: newest pause</span>
      </div>
      {live.causes.map((it) => (
        <Cause key={it.key} finding={it.finding} cause={app.store.causes[it.cause]!} newest={newestText(app, it)} />
      ))}
    </section>
  );
}

function newestText({ view, clock }: App, { startUs, lengthUs, jvm }: LiveCause): string {
  return `newest at ${timeOfDay(startUs, view.value.zone, clock)}: ${duration(lengthUs)}${jvm && `, ${jvm}`}`;
}
