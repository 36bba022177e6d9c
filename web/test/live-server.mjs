// Serves the live page as `whypause watch --serve` does, with pauses cut from a report.
//
//   node test/live-server.mjs REPORT.html [--rate PAUSES_PER_SECOND] [--port PORT]
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { assembleLive } from "../dev.mjs";

const TOKEN = "token";
const KEPT_MS = 3_600_000;
/** The longest that come again with their threads. */
const MOST_OPENED = 24;

/** How many servers there were: what tells the events of one from those of another. */
let servers = 0;

/** The data in a report. */
export function dataOf(html) {
  return JSON.parse(html.match(/<script type="application\/json" id="data">(.*?)<\/script>/s)[1]);
}

/** One event for each pause of a report, with the clock of the report. */
export function cut(page) {
  const { pauses } = page;
  const events = [];
  let [startUs, part] = [0, 0];
  for (let i = 0; i < pauses.count; i++) {
    startUs += pauses.start_us[i];
    const count = pauses.parts[part];
    const parts = pauses.parts.slice(part, (part += 1 + 2 * count));
    events.push(eventOf(page, i, startUs, parts));
  }
  return events;
}

function eventOf(page, pause, startUs, parts) {
  const { pauses } = page;
  const causes = [];
  const local = (cause) => {
    const known = causes.indexOf(cause);
    return known >= 0 ? known : causes.push(cause) - 1;
  };
  const localParts = parts.map((it, at) => (at % 2 === 1 ? local(it) : it));
  const opened = page.opened
    .filter((it) => it.pause === pause)
    .map((it) => ({ ...it, pause: 0, segments: it.segments.map((segment) => ({ ...segment, cause: segment.cause === null ? null : local(segment.cause) })) }));
  const ofPause = new Set(causes);
  const findings = page.answer.findings.filter((it) => ofPause.has(it.cause)).map((it) => ({ ...it, cause: local(it.cause) }));
  const operation = pauses.operations[pauses.operation[pause]];
  const most = parts.length > 1 ? page.causes[parts[1]].short : "unexplained";
  return {
    line: `${(pauses.length_us[pause] / 1_000).toFixed(0)} ms ${operation}: ${most}`,
    causes: causes.map((it) => page.causes[it]),
    pauses: {
      ...pauses,
      count: 1,
      origin_wall_ms: (pauses.origin_wall_ms ?? 0) + Math.floor(startUs / 1_000),
      span_ms: pauses.length_us[pause] / 1_000,
      start_us: [startUs % 1_000],
      length_us: [pauses.length_us[pause]],
      reaching_us: [pauses.reaching_us[pause]],
      kind: pauses.kind[pause],
      operation: [0],
      operations: [operation],
      parts: localParts,
      left_out: 0,
    },
    findings,
    opened,
  };
}

/** The same event, as if it ended at `endMs`. */
export const endedAt = (event, endMs) => {
  const us = Math.round((endMs * 1_000 - event.pauses.length_us[0]) % 1_000);
  return { ...event, pauses: { ...event.pauses, origin_wall_ms: Math.floor(endMs - event.pauses.length_us[0] / 1_000), start_us: [us] } };
};

/** Three threads that stood for a second until `endMs`, two of them for the third. */
export const stallEndedAt = (endMs) => ({
  line: "1.00 s   stall of 1 thread (holder): fsync blocked",
  jvm: null,
  causes: [{ id: "file-sync-blocked", title: "Sync of a file blocked", short: "fsync blocked", class: "disk", nature: "fault", page: [] }],
  origin_wall_ms: endMs - 1_000,
  stalls: {
    threads: ["holder", "waiter-1", "waiter-2"].map((name, at) => ({ tid: 40 + at, name, pool: Math.min(at, 1) })),
    pools: ["holder", "waiter-*"],
    places: [{ thread: "holder", call: "fdatasync()", file: "/data/a.log", file_system: "ext4", device: "sdb1", stack: ["io_schedule", "ext4_sync_file"], waits_for: "a journal commit", marked: 1 }],
    episodes: [{ start_us: 0, length_us: 1e6, stalls: 1, threads: 1, time_us: 1e6, longest_us: 1e6, unexplained_us: 0, told: "1 thread (holder) for 1.00 s: fsync blocked; 2 waited for holder, 1.70 s in all", pools: "holder", cause: 0, certainty: "measured", mechanisms: [["a journal commit", 1e6]], place: 0, holder: 0, members: [0, 0, 0, 1e6, 1e6, 1, 0, 1e5, 9e5, 9e5, 2, 0, 2e5, 8e5, 8e5], left_out: 0 }],
  },
  who: ["dd (pid 991) wrote 412 MB to sdb1"],
});

/** What was read of the host and the heap in the second until `ms` after the watch began. */
export const readingsAt = (ms, disk = "sdb1") => ({
  host: [
    { kind: "disk_busy", name: disk, is_shown: true, at_ms: [ms], value: [600_000_000 + ((ms * 7_919) % 300_000_000)] },
    { kind: "dirty_bytes", name: "", is_shown: true, at_ms: [ms], value: [(40 + ((ms / 1_000) % 30)) * 2 ** 20] },
    { kind: "available", name: "", is_shown: false, at_ms: [ms], value: [8 * 2 ** 30] },
  ],
  heap: [[ms - 500, (300 + ((ms / 1_000) % 100)) * 2 ** 20, 120 * 2 ** 20, 512 * 2 ** 20]],
});

export async function serve({ title, version = "0.0.0", limitMs = 50, sinceMs = Date.now(), port = 0 }) {
  const hello = { version, title, limit_ms: limitMs, since_wall_ms: sinceMs, zone_minutes: 60, kept_ms: KEPT_MS, opened: MOST_OPENED, pages: {}, words: [{ term: "stall", meaning: "a single thread could not go on" }] };
  const generation = `${Date.now().toString(16)}${servers++}`;
  const clients = new Set();
  /** Numbers and events. */
  let kept = [];
  const read = [];
  let sent = 0;
  let [asked, hellos, refusals] = [0, 0, 0];
  let [ended, awaits] = ["", false];
  const message = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const told = (number, event) => `id: ${generation}-${number}\n${message(event.pauses ? "pause" : "stall", event)}`;
  const lengthOf = ({ pauses, stalls }) => (pauses ? pauses.length_us[0] : stalls.episodes[0].length_us);
  const endOf = (it) => (it.pauses ? it.pauses.origin_wall_ms + it.pauses.start_us[0] / 1_000 : it.origin_wall_ms) + lengthOf(it) / 1_000;
  /** Of the last hour from this number on; with their threads only the longest, and the newest. */
  const again = (first) => {
    kept = kept.filter((it) => endOf(it.event) > Date.now() - KEPT_MS);
    const longest = new Set(kept.filter((it) => it.event.pauses).sort((a, b) => lengthOf(b.event) - lengthOf(a.event)).slice(0, MOST_OPENED));
    const brief = (it, at) => (longest.has(it) || !it.event.pauses || at === kept.length - 1 ? it.event : { ...it.event, opened: [] });
    return kept.map((it, at) => (it.number < first ? "" : told(it.number, brief(it, at)))).join("");
  };
  /** What a browser gets at first that had this event last: the rest, or all where it was none of this server. */
  const begin = (last) => {
    const [of, number] = (last ?? "").split("-");
    if (of === generation) return again(Number(number) + 1);
    hellos++;
    return message("hello", hello) + again(0);
  };
  const server = createServer((request, response) => {
    if (request.url === `/${TOKEN}/`) {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" });
      return response.end(assembleLive(title));
    }
    if (request.url !== `/${TOKEN}/events`) return response.writeHead(404).end();
    asked++;
    if (refusals > 0) {
      refusals--;
      return response.writeHead(503, { "Retry-After": "60" }).end();
    }
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    // What waits for the next JVM knows nothing of the last one but that it ended.
    const first = awaits ? "" : begin(request.headers["last-event-id"]);
    // As the server does, all that was read comes at once; here in as many events as there were.
    response.write(`retry: 500\n\n${first}${awaits ? "" : read.map((it) => message("readings", it)).join("")}${ended}`);
    if (ended) return response.end();
    clients.add(response);
    request.on("close", () => clients.delete(response));
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const tell = (text) => {
    for (const it of clients) it.write(text);
  };
  return {
    url: `http://127.0.0.1:${server.address().port}/${TOKEN}/`,
    /** How often events were asked for, and how many browsers began anew. */
    get asked() {
      return asked;
    },
    get hellos() {
      return hellos;
    },
    send: (event) => {
      const number = sent++;
      kept.push({ number, event });
      tell(told(number, event));
    },
    /** As `send`, to those who are connected only: many at once need not come again. */
    sendOnce: (event) => tell(message("pause", event)),
    /** What was read of the host and the heap. */
    read: (event) => {
      read.push(event);
      tell(message("readings", event));
    },
    /** The same to those who are connected only. */
    readOnce: (event) => tell(message("readings", event)),
    /** Has no room for the next who asks. */
    refuseOnce: () => {
      refusals = 1;
    },
    /** Ends all connections; browsers come back. */
    drop: () => {
      for (const it of clients) it.destroy();
    },
    /** As whoever comes later is told, too. */
    end: (why, next = false) => {
      [ended, awaits] = [message("end", { why, next }), next];
      tell(ended);
    },
    close: () => {
      for (const it of clients) it.end();
      server.closeAllConnections();
      server.close();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const option = (name, otherwise) => (args.includes(name) ? Number(args.splice(args.indexOf(name), 2)[1]) : otherwise);
  const [rate, port] = [option("--rate", 1), option("--port", 0)];
  const page = dataOf(readFileSync(args[0], "utf8"));
  const events = cut(page);
  const live = await serve({ title: page.answer.title, version: page.version, limitMs: page.pauses.limit_ms, port });
  console.log(live.url);
  let i = 0;
  const begin = Date.now();
  setInterval(() => live.send(endedAt(events[i++ % events.length], Date.now())), 1_000 / rate);
  setInterval(() => live.read(readingsAt(Date.now() - begin)), 1_000);
}
