// The section "Stalls while the JVM ran": the causes, the episodes as a table, and what is unexplained.

import { goTo, openStall, useApp } from "../app";
import { OfWholeRun } from "../chosen/bar";
import { fullTime } from "../clock";
import { count, duration, plural } from "../format";
import { usePart } from "../observable";
import { Cause } from "../parts/causes";
import { Swatch } from "../parts/swatch";
import { Long, Name } from "../parts/text";
import { type Column, Table } from "../tables/table";
import { classOf } from "./pools";
import type { Episode } from "./store";

const MOST_LISTED = 50;
const FIRST_LISTED = 12;

export function StallsSection() {
  const { page, stalls, store, calm, live } = useApp();
  usePart(calm, (it) => it.batches);
  if (stalls.episodes.length === 0) return null;
  const said = page.stalls;
  return (
    <section id="stalls" class="panel" aria-labelledby="stalls-title">
      <div class="panel-head">
        <h2 id="stalls-title">{said ? <Long text={said.heading} /> : "Stalls while the JVM ran"}</h2>
        {said && <OfWholeRun />}
        <span class="muted">{live ? `${duration(store.limitUs)} or more` : "outside of the pauses, in no number of those"}</span>
      </div>
      {said?.findings.map((finding) => <Cause finding={finding} cause={store.causes[finding.cause]!} />)}
      {said?.rest && (
        <p class="minor">
          <Long text={said.rest} />
        </p>
      )}
      <Listed />
    </section>
  );
}

function Listed() {
  const app = useApp();
  const { stalls, store } = app;
  const zone = usePart(app.view, (it) => it.zone);
  const rows = [...stalls.episodes].sort((a, b) => b.time_us - a.time_us).slice(0, MOST_LISTED);
  const open = (episode: Episode): void => {
    openStall(app, episode);
    goTo("pause");
  };
  const cause = (it: Episode): string => (it.cause === null ? "unexplained" : (store.causes[it.cause]?.short ?? ""));
  const ofJvm: Column<Episode> = { name: "JVM", show: (it) => <Name text={it.jvm} />, key: (it) => it.jvm };
  const columns: Column<Episode>[] = [
    {
      name: "at",
      show: (it) => (
        <button type="button" class="link" onClick={() => open(it)}>
          {fullTime(it.startUs, zone, app.clock)}
        </button>
      ),
      key: (it) => it.startUs,
    },
    { name: "length", show: (it) => duration(it.endUs - it.startUs), key: (it) => it.endUs - it.startUs, isNumber: true },
    { name: "longest", show: (it) => duration(it.longest_us), key: (it) => it.longest_us, isNumber: true },
    { name: "thread time", show: (it) => duration(it.time_us), key: (it) => it.time_us, isNumber: true },
    { name: "threads", show: (it) => count(it.threads), key: (it) => it.threads, isNumber: true },
    ...(rows.some((it) => it.jvm) ? [ofJvm] : []),
    { name: "of", show: (it) => <Name text={it.pools} />, key: (it) => it.pools },
    {
      name: "cause",
      show: (it) => (
        <span>
          <Swatch kind={classOf(store.causes, it.cause)} /> <Name text={cause(it)} />
        </span>
      ),
      key: cause,
    },
    { name: "file", show: (it) => <Name text={it.place.file} />, key: (it) => it.place.file },
  ];
  const all = Math.max(stalls.count, stalls.episodes.length);
  const caption = rows.length < all ? `The ${count(rows.length)} with most thread time of ${plural(all, "episode")}` : `${plural(all, "episode")}: threads that stood for the same reason at the same time`;
  return (
    <div class="block">
      <h3>Episodes</h3>
      <Table id="episodes" caption={caption} columns={columns} rows={rows} sortedBy={3} first={FIRST_LISTED} />
    </div>
  );
}
