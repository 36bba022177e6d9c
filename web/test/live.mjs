// Opens a live page in a real browser and checks what a person would do there.
//
//   node test/live.mjs REPORT.html [--screenshots DIR]
//                                         against a server of its own, which sends the pauses of the report
//   node test/live.mjs --url URL          only what can be seen of a server that is there
//
// One line for each check. Exit code 1 where any failed; 0 with `SKIPPED: why` where there is no browser.
import { existsSync, readFileSync } from "node:fs";
import { LIMIT_MS, NARROW, TIMELINE, WIDE, check, comes, open, pausesAre, seen, shown, sleep, statusHas, tally } from "./live-page.mjs";
import { cut, dataOf, endedAt, readingsAt, serve, stallEndedAt } from "./live-server.mjs";
import { another, nextJvm, refused, severalJvms } from "./live-watches.mjs";
import { PATIENCE_MS, once } from "./once.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-precise-memory-info"];

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args.splice(args.indexOf(name), 2)[1] : null);
const url = option("--url");
const screenshots = option("--screenshots");
const report = args[0];

function skip(why) {
  console.log(`SKIPPED: ${why}`);
  process.exit(0);
}

/** Remembers when the picture first showed each count of pauses. */
function watchPicture() {
  window.shownAt = [];
  new MutationObserver(() => {
    const canvas = document.getElementById("timeline-canvas");
    const count = Number(canvas?.dataset.pauses ?? 0);
    while (window.shownAt.length < count) window.shownAt.push(Date.now());
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-pauses"] });
}

async function arrival(browser, live, events) {
  const context = await browser.newContext({ viewport: WIDE });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(watchPicture);
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (it) => ["error", "warning"].includes(it.type()) && page.problems.push(it.text()));
  page.on("pageerror", (it) => page.problems.push(String(it)));
  await page.goto(live.url);
  await statusHas(page, "live");
  check("before the first pause the page says so", (await page.textContent("h1")).startsWith("No pause of"), await page.textContent("h1"));
  const sent = [];
  for (let i = 0; i < 20; i++) {
    sent.push(Date.now());
    live.send(endedAt(events[i % events.length], sent[i]));
    await sleep(120);
  }
  await pausesAre(page, 20);
  const delays = (await page.evaluate(() => window.shownAt)).map((at, i) => at - sent[i]).sort((a, b) => a - b);
  // How soon depends on the machine; that they come while they are sent does not.
  check("pauses are drawn as they come", delays[19] < 20_000, `median ${delays[10]} ms, longest ${delays[19]} ms`);
  const { line } = events[19 % events.length];
  await comes("the newest event is beneath the headline", () => page.textContent(".newest-line"), (it) => it.includes(line));
  await comes("the headline is the answer of the kept time", () => page.textContent("h1"), (it) => /^[\d.<]+ % stopped in the last .+ of it(:| unexplained)/.test(it), (it) => it);
  await comes("the newest is announced", () => page.textContent("#announced"), (it) => it === line);
  await comes("cards follow", () => page.textContent(".cards"), (it) => it.includes("in the last"));
  await comes("tables follow", () => page.locator("#longest tbody tr").count(), (it) => it === 20);
  return page;
}

async function selecting(page, live, events) {
  const lanes = () => page.getAttribute("#pause", "data-lanes");
  const showsLanes = (name, of) => comes(name, lanes, (it) => Number(it) === (of.opened[0]?.lanes.length ?? 0), (it) => it);
  await showsLanes("the newest pause shows its lanes", events[19]);
  const withLanes = events.findIndex((it, i) => i < 20 && it.opened[0]?.lanes.length > 0);
  const before = await shown(page);
  for (let i = before.selected; i > withLanes; i--) await page.keyboard.press("ArrowLeft");
  await once(() => shown(page), (it) => it.selected === withLanes);
  await showsLanes("a pause that was opened shows its lanes", events[withLanes]);
  const title = await page.textContent("#pause-title");
  await page.locator("#lanes").focus();
  await page.keyboard.press("w");
  const range = await page.getAttribute("#lanes", "data-to");
  for (let i = 0; i < 3; i++) live.send(endedAt(events[i], Date.now()));
  await pausesAre(page, before.pauses + 3);
  await page.waitForTimeout(1_200);
  check("it stays open while others come", (await page.textContent("#pause-title")) === title && (await shown(page)).selected === withLanes);
  check("and as it was zoomed", (await page.getAttribute("#lanes", "data-to")) === range);
  await page.click("#newest");
  const newest = async () => ({ ...(await shown(page)), isOff: await page.locator("#newest").isDisabled() });
  await comes("`newest` goes on to the newest", newest, (it) => it.selected === it.pauses - 1 && it.isOff);
}

async function following(page, live, events) {
  const first = await shown(page);
  const follows = async () => ({ ...(await shown(page)), isOff: await page.locator("#follow").isDisabled() });
  await comes("the time line goes on with the time", follows, (it) => it.to > first.to && it.isOff);
  await page.locator("h1").click();
  await page.keyboard.press("w");
  await page.keyboard.press("a");
  await page.waitForTimeout(100);
  const zoomed = await once(() => shown(page), (it) => it.to - it.from < first.to - first.from);
  live.send(endedAt(events[3], Date.now()));
  await pausesAre(page, zoomed.pauses + 1);
  await page.waitForTimeout(1_200);
  const still = await shown(page);
  check("a range that was chosen stays", still.from === zoomed.from && still.to === zoomed.to && zoomed.to - zoomed.from < first.to - first.from);
  await page.click("#follow");
  const isAsWide = (it) => Math.abs(it.to - it.from - (still.to - still.from)) < 10;
  await comes("`follow` goes on with the newest, as wide as before", () => shown(page), (it) => it.to > still.to && isAsWide(it) && it.last < it.to);
  await page.keyboard.press("0");
  await page.waitForTimeout(100);
  live.send(endedAt(events[2], Date.now()));
  // Else it comes while the next step counts.
  await pausesAre(page, zoomed.pauses + 2);
  await comes("0 shows all and follows", follows, (it) => it.from === 0 && it.isOff);
}

async function reconnecting(page, live, events) {
  const first = await shown(page);
  await page.keyboard.press("ArrowLeft");
  await once(() => shown(page), (it) => it.selected !== first.selected);
  const [before, title, hellos] = [await shown(page), await page.textContent("#pause-title"), live.hellos];
  live.drop();
  await statusHas(page, "connection lost, trying again");
  check("a lost connection is said", true);
  live.send(endedAt(events[4], Date.now()));
  await statusHas(page, "live");
  await pausesAre(page, before.pauses + 1);
  await page.waitForTimeout(1_300);
  const after = await shown(page);
  check("after it nothing is there twice, and what was missed is there", after.pauses === before.pauses + 1, `${before.pauses} → ${after.pauses}`);
  check("the browser says what it had, and is told only the rest", live.hellos === hellos, `${live.hellos - hellos} new beginnings`);
  check("the open pause is still open", after.selected === before.selected && (await page.textContent("#pause-title")) === title);
  await comes("causes are there", () => page.locator("#causes .cause").count(), (it) => it > 0, (it) => `${it}`);
}

async function outOfOrder(page, live, events) {
  const before = await shown(page);
  live.send(endedAt(events[5], Date.now() - 5_000));
  await pausesAre(page, before.pauses + 1);
  check("one that is told late takes its place", (await shown(page)).last === before.last);
}

/** Threads that stand while the JVM runs come as pauses do. */
async function stalls(page, live) {
  check("before the first stall there is nothing of them", (await page.locator("#stall-lanes, #stalls").count()) === 0);
  const before = await shown(page);
  for (const ago of [3_000, 0]) live.send(stallEndedAt(Date.now() - ago));
  const episodes = () => page.locator("#episodes tbody tr").count();
  await comes("stalls have lanes and a table", episodes, (it) => it === 2, (it) => `${it}`);
  check("and are no pauses", (await shown(page)).pauses === before.pauses);
  await page.locator("#episodes tbody button").first().click();
  const opened = () => page.evaluate(() => document.querySelector("#pause")?.dataset.stall);
  await comes("one is opened", opened, (it) => it !== undefined);
  await comes("with who did it", () => page.textContent("#pause"), (it) => it.includes("dd (pid 991)"));
  live.drop();
  await statusHas(page, "connection lost, trying again");
  await statusHas(page, "live");
  await page.waitForTimeout(1_300);
  check("a lost connection doubles none, and what is open stays", (await episodes()) === 2 && (await opened()) !== undefined, `${await episodes()}`);
  await page.click("#newest");
  await comes("`newest` goes back to the newest pause", opened, (it) => it === undefined);
}

/** What the host did and how full the heap was, beneath the pauses. */
async function beneath(browser, page, live, sinceMs) {
  const lines = () => page.evaluate(() => ({ ...document.querySelector("canvas.host-lines")?.dataset }));
  const areRead = (count, readings) => (it) => Number(it.lines) === count && Number(it.readings) === readings;
  check("before the first reading there is nothing of the host and the heap", (await page.locator(".host, .heap").count()) === 0);
  for (const ago of [3_000, 2_000, 1_000]) live.read(readingsAt(Date.now() - sinceMs - ago, "<b>sdb1</b>"));
  await comes("the host has the lines that are worth a place", lines, areRead(2, 6), JSON.stringify);
  const summary = await page.textContent(".host summary");
  check("a name is text", summary.includes("<b>sdb1</b> busy: ") && (await page.locator(".host summary b").count()) === 0, summary);
  check("the heap is there", (await page.locator(".heap canvas").count()) === 1);
  await page.click(".all-lines");
  await comes("the others come on request", lines, areRead(3, 9), JSON.stringify);
  live.read(readingsAt(Date.now() - sinceMs, "<b>sdb1</b>"));
  await comes("what comes later is put behind it, and the others stay", lines, areRead(3, 12), JSON.stringify);
  await page.click(".all-lines");
  const late = await open(browser, live.url);
  const ofLate = () => late.evaluate(() => ({ ...document.querySelector("canvas.host-lines")?.dataset }));
  await comes("a browser that comes late has all of it", ofLate, areRead(2, 8), JSON.stringify);
  await late.context().close();
  live.drop();
  await statusHas(page, "connection lost, trying again");
  await statusHas(page, "live");
  await page.waitForTimeout(1_300);
  check("a lost connection doubles no reading", areRead(2, 8)(await lines()), JSON.stringify(await lines()));
}

const countersOf = (session) => session.send("Memory.getDOMCounters");

/** The least of some readings: on a busy host what was in work at one of them is still there. */
const heapOf = async (session, page) => {
  let least = Infinity;
  for (let i = 0; i < 5; i++) {
    await session.send("HeapProfiler.collectGarbage");
    await page.waitForTimeout(300);
    await session.send("HeapProfiler.collectGarbage");
    least = Math.min(least, (await session.send("Runtime.getHeapUsage")).usedSize / 2 ** 20);
  }
  return least;
};

/** A pause a second for seven hours, as fast as they are taken: of them an hour is kept. */
async function memory(browser, events) {
  const begin = Date.now();
  const live = await serve({ title: "orders (pid 4242)", limitMs: LIMIT_MS, sinceMs: begin });
  const page = await open(browser, live.url);
  const session = await page.context().newCDPSession(page);
  const send = async (from, to) => {
    for (let i = from; i < to; i++) {
      live.sendOnce(endedAt(events[i % events.length], begin + i * 1_000));
      if (i % 10 === 0) live.readOnce(readingsAt(i * 1_000));
      if (i % 200 === 199) await sleep(20);
    }
    const lastEnd = Math.round((to - 1) * 1_000_000);
    await page.waitForFunction(([id, us]) => { const it = document.querySelector(id); return Number(it.dataset.lastStart) > us - 10e6; }, [TIMELINE, lastEnd], { timeout: 120_000 });
    await page.waitForTimeout(1_500);
  };
  await send(0, 6_000);
  const [first, before, countersBefore] = [await shown(page), await heapOf(session, page), await countersOf(session)];
  const startedAt = Date.now();
  await send(6_000, 26_000);
  const took = Date.now() - startedAt;
  const [last, after, counters] = [await shown(page), await heapOf(session, page), await countersOf(session)];
  // The hour ends now, and on a busy host now is seconds behind the last pause.
  const isHour = (it, sent) => Math.abs(it.pauses - (sent - (it.to / 1e6 - 3_600))) < 10;
  check("an hour is kept, not more", isHour(first, 6_000) && isHour(last, 26_000), [first, last].map((it) => `${it.pauses} pauses until ${it.to / 1e6} s`).join(", "));
  check("20,000 pauses later the heap is as it was", after < before * 1.2, `${before.toFixed(1)} MiB → ${after.toFixed(1)} MiB, sent in ${took} ms`);
  const { nodes, jsEventListeners: listeners } = counters;
  check("nor are there more elements and listeners", nodes < countersBefore.nodes * 1.2 && listeners < countersBefore.jsEventListeners * 1.2, `${nodes} and ${listeners}`);
  const { readings } = await page.$eval("canvas.host-lines", (it) => ({ ...it.dataset }));
  // Two in ten seconds; the hour has gone on since the last one.
  const until = (await shown(page)).to / 1e6;
  const inHour = (26_000 - (until - 3_600)) / 5;
  check("of the readings, too, an hour is kept", Math.abs(Number(readings) - inHour) <= 4, `${readings} until ${until} s`);
  check("no console errors after many pauses", page.problems.length === 0, page.problems.slice(0, 3).join(" | "));
  await atFullHour(page, session, live, events, begin + 26_000_000);
  await page.context().close();
  live.close();
}

/** A pause each second, as long as an hour of them is there. */
async function atFullHour(page, session, live, events, from) {
  const taskSeconds = async () => (await session.send("Performance.getMetrics")).metrics.find((it) => it.name === "TaskDuration").value;
  await session.send("Performance.enable");
  await page.evaluate(watchLast, TIMELINE);
  const [before, startedAt] = [await taskSeconds(), Date.now()];
  const sent = [];
  for (let i = 0; i < 6; i++) {
    sent.push(Date.now());
    live.sendOnce(endedAt(events[i], from + i * 1_000));
    await sleep(1_000);
  }
  const work = ((await taskSeconds()) - before) / ((Date.now() - startedAt) / 1_000);
  const seen = await page.evaluate(() => window.lastChangedAt);
  const delays = sent.map((at) => seen.find((it) => it >= at) - at);
  delays.sort((a, b) => a - b);
  check("and pauses are still drawn as they come", delays[5] < 20_000, `median ${delays[3]} ms, longest ${delays[5]} ms, ${Math.round(work * 1_000)} ms of work a second`);
}

/** Remembers when the picture showed another last pause. */
function watchLast(id) {
  window.lastChangedAt = [];
  new MutationObserver((changes) => {
    if (changes.some((it) => it.oldValue !== it.target.dataset.lastStart)) window.lastChangedAt.push(Date.now());
  }).observe(document.querySelector(id), { attributeFilter: ["data-last-start"], attributeOldValue: true });
}

async function launcher() {
  try {
    return (await import("playwright-core")).chromium;
  } catch {
    return skip("no node_modules: run `npm ci` in web/");
  }
}

async function all(browser, file) {
  const data = dataOf(readFileSync(file, "utf8"));
  const events = cut(data).filter((it) => it.pauses.length_us[0] >= LIMIT_MS * 1_000);
  const sinceMs = Date.now() - 60_000;
  const live = await serve({ title: "orders (pid 4242)", version: data.version, limitMs: LIMIT_MS, sinceMs });
  const page = await arrival(browser, live, events);
  await selecting(page, live, events);
  await following(page, live, events);
  await reconnecting(page, live, events);
  await outOfOrder(page, live, events);
  await stalls(page, live);
  await beneath(browser, page, live, sinceMs);
  await seen(browser, live.url);
  if (screenshots) {
    await page.screenshot({ path: `${screenshots}/live-wide.png`, fullPage: true });
    await page.setViewportSize(NARROW);
    await page.screenshot({ path: `${screenshots}/live-narrow.png`, fullPage: true });
  }
  live.end("the JVM exited");
  await statusHas(page, "the watch is over: the JVM exited");
  await page.waitForTimeout(1_200);
  check("the end is said, and stays", (await page.textContent("#status")) === "the watch is over: the JVM exited");
  const problems = page.problems.filter((it) => !it.includes("ERR_INCOMPLETE_CHUNKED_ENCODING") && !it.includes("ERR_CONNECTION"));
  check("no console errors but those of the connection", problems.length === 0, problems.slice(0, 3).join(" | ").slice(0, 400));
  await page.context().close();
  live.close();
  await another(browser, events);
  await nextJvm(browser, events);
  await refused(browser, events);
  await severalJvms(browser, events, screenshots);
  await memory(browser, events);
}

if (!existsSync(CHROMIUM)) skip(`no browser at ${CHROMIUM}`);
if (!url && !report) {
  console.error("usage: node test/live.mjs REPORT.html | --url URL");
  process.exit(2);
}
const chromium = await launcher();
const browser = await chromium
  .launch({ executablePath: CHROMIUM, args: ARGS })
  .catch((error) => skip(`the browser does not start: ${String(error).split("\n")[0]}`));
try {
  await (url ? seen(browser, url) : all(browser, report));
} finally {
  await browser.close();
}
const { checks, failures } = tally();
console.log(`${checks - failures} passed, ${failures} failed`);
process.exit(failures > 0 ? 1 : 0);
