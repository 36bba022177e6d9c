// Opens a live page in a real browser and checks what a person would do there.
//
//   node test/live.mjs REPORT.html [--screenshots DIR]
//                                         against a server of its own, which sends the pauses of the report
//   node test/live.mjs --url URL          only what can be seen of a server that is there
//
// One line for each check. Exit code 1 where any failed; 0 with `SKIPPED: why` where there is no browser.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cut, dataOf, endedAt, serve } from "./live-server.mjs";
import { once } from "./once.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--enable-precise-memory-info"];
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
const TIMELINE = "#timeline-canvas";
/** Pauses of the report from this length on are sent. */
const LIMIT_MS = 5;
/** For the wait until something shows; what is fast enough is checked by itself. */
const PATIENCE = { timeout: 60_000 };

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args.splice(args.indexOf(name), 2)[1] : null);
const url = option("--url");
const screenshots = option("--screenshots");
const report = args[0];

let failures = 0;
let checks = 0;

function check(name, isGood, detail = "") {
  checks++;
  if (!isGood) failures++;
  console.log(`${isGood ? "ok  " : "FAIL"}  ${name}${detail ? ` (${detail})` : ""}`);
}

/** A check of what comes to hold, sooner or later. */
async function comes(name, read, isGood, detail = () => "") {
  const it = await once(read, isGood);
  check(name, isGood(it), detail(it));
}

function skip(why) {
  console.log(`SKIPPED: ${why}`);
  process.exit(0);
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const shown = (page) => page.$eval(TIMELINE, (it) => ({ pauses: Number(it.dataset.pauses), last: Number(it.dataset.lastStart), from: Number(it.dataset.from), to: Number(it.dataset.to), selected: Number(it.dataset.selected) }));
const pausesAre = (page, count) => page.waitForFunction(([id, n]) => Number(document.querySelector(id)?.dataset.pauses) === n, [TIMELINE, count], PATIENCE);
const statusHas = (page, text) => page.waitForFunction((it) => document.getElementById("status")?.textContent.includes(it), text, PATIENCE);

async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (it) => ["error", "warning"].includes(it.type()) && page.problems.push(it.text()));
  page.on("pageerror", (it) => page.problems.push(String(it)));
  await page.goto(address, { waitUntil: "domcontentloaded" });
  await page.waitForFunction(() => document.querySelector("header.topbar"), null, PATIENCE);
  return page;
}

/** What holds of every live page, also of one whose pauses are not ours. */
async function seen(browser, address) {
  const page = await open(browser, address);
  await page.waitForTimeout(500);
  const isWatched = (it) => /^watching .+, pauses of .+ or more · live$|^the watch is over: /.test(it);
  await comes("the line says what is watched", () => page.textContent("#status"), isWatched, (it) => it);
  const isNewest = (it) => it.selected === it.pauses - 1;
  await comes("the newest pause is open", () => shown(page), isNewest, (it) => `${it.selected + 1} of ${it.pauses}`);
  await comes("the headline is there", () => page.textContent("h1"), (it) => it.trim().length > 10, (it) => it.slice(0, 120));
  if ((await shown(page)).pauses > 0) {
    await comes("tables are there", () => page.locator("#longest tbody tr").count(), (it) => it > 0);
    await comes("cards are there", () => page.locator(".cards > div").count(), (it) => it >= 4);
  }
  await page.setViewportSize(NARROW);
  await page.waitForTimeout(200);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check("no horizontal scroll at 390 px", wide <= 0, wide > 0 ? `${wide} px too wide` : "");
  check("no console errors", page.problems.length === 0, page.problems.slice(0, 3).join(" | ").slice(0, 400));
  await page.context().close();
  for (const colorScheme of ["light", "dark"]) await accessible(browser, address, colorScheme);
}

async function accessible(browser, address, colorScheme) {
  // The policy of the page keeps axe out; the other checks ran with it.
  const page = await open(browser, address, { bypassCSP: true, colorScheme });
  await page.waitForTimeout(1_200);
  const require = createRequire(import.meta.url);
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const violations = await page.evaluate(async () => {
    const result = await window.axe.run(document, { resultTypes: ["violations"] });
    return result.violations.filter((it) => ["serious", "critical"].includes(it.impact)).map((it) => `${it.id}: ${it.nodes.length} × ${it.nodes[0].html.slice(0, 160)}`);
  });
  check(`accessible, ${colorScheme}`, violations.length === 0, violations.join(" | ").slice(0, 900));
  await page.context().close();
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
  await comes("the headline is the newest event", () => page.textContent("h1"), (it) => it.includes(line));
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
  await comes("0 shows all and follows", follows, (it) => it.from === 0 && it.isOff);
}

async function reconnecting(page, live, events) {
  const first = await shown(page);
  await page.keyboard.press("ArrowLeft");
  await once(() => shown(page), (it) => it.selected !== first.selected);
  const [before, title] = [await shown(page), await page.textContent("#pause-title")];
  live.drop();
  await statusHas(page, "connection lost, trying again");
  check("a lost connection is said", true);
  live.send(endedAt(events[4], Date.now()));
  await statusHas(page, "live");
  await pausesAre(page, before.pauses + 1);
  await page.waitForTimeout(1_300);
  const after = await shown(page);
  check("after it nothing is there twice, and what was missed is there", after.pauses === before.pauses + 1, `${before.pauses} → ${after.pauses}`);
  check("the open pause is still open", after.selected === before.selected && (await page.textContent("#pause-title")) === title);
  await comes("causes are there", () => page.locator("#causes .cause").count(), (it) => it > 0, (it) => `${it}`);
}

async function outOfOrder(page, live, events) {
  const before = await shown(page);
  live.send(endedAt(events[5], Date.now() - 5_000));
  await pausesAre(page, before.pauses + 1);
  check("one that is told late takes its place", (await shown(page)).last === before.last);
}

/** The watch ends without a word, and another one serves at the same address. */
async function another(browser, events) {
  const first = await serve({ title: "orders (pid 4242)", limitMs: LIMIT_MS, sinceMs: Date.now() - 60_000 });
  const page = await open(browser, first.url);
  for (let i = 0; i < 3; i++) first.send(endedAt(events[i], Date.now()));
  await pausesAre(page, 3);
  first.close();
  await statusHas(page, "connection lost, trying again");
  const second = await serve({ title: "billing (pid 4711)", limitMs: LIMIT_MS, port: Number(new URL(first.url).port) });
  second.send(endedAt(events[0], Date.now()));
  await statusHas(page, "billing (pid 4711)");
  await pausesAre(page, 1);
  await comes("another watch at the same address begins anew", () => page.title(), (it) => it.startsWith("billing (pid 4711)"), (it) => it);
  await page.context().close();
  second.close();
}

/** The watch waits for the next JVM, and another process of it serves that one's page at the same address. */
async function nextJvm(browser, events) {
  const first = await serve({ title: "orders (pid 4242)", limitMs: LIMIT_MS, sinceMs: Date.now() - 60_000 });
  const page = await open(browser, first.url);
  first.send(endedAt(events[0], Date.now()));
  await pausesAre(page, 1);
  first.end("the JVM exited", true);
  await statusHas(page, "the JVM exited; waiting for the next JVM");
  check("that the next JVM is awaited is said, and the pauses stay", (await shown(page)).pauses === 1);
  first.close();
  const second = await serve({ title: "orders (pid 4711)", limitMs: LIMIT_MS, port: Number(new URL(first.url).port) });
  second.send(endedAt(events[1], Date.now()));
  await statusHas(page, "orders (pid 4711)");
  await pausesAre(page, 1);
  await comes("the page goes on with the next JVM by itself", () => page.title(), (it) => it.startsWith("orders (pid 4711)"), (it) => it);
  await page.context().close();
  second.close();
}

/** All JVMs of a host on one page: each pause says its own. */
async function severalJvms(browser, events) {
  const live = await serve({ title: "all JVMs", limitMs: LIMIT_MS, sinceMs: Date.now() - 60_000 });
  const page = await open(browser, live.url);
  const of = (jvm, event) => live.send({ ...endedAt(event, Date.now()), jvm });
  for (const [i, jvm] of ["orders (pid 4242)", "<b>billing</b> (pid 4711)", "orders (pid 4242)"].entries()) of(jvm, events[i]);
  await pausesAre(page, 3);
  const text = (of) => () => page.textContent(of);
  const rows = (of) => () => page.locator(of).allTextContents();
  const whole = (it) => `${it}`;
  await comes("the headline says whose pause it is", text("h1"), (it) => it.includes("orders (pid 4242): "), whole);
  await comes("and so does the open one", text("#pause .about"), (it) => it.includes("orders (pid 4242)"), whole);
  const areCounted = (it) => it.length === 2 && it.some((row) => row.includes("<b>billing</b> (pid 4711)"));
  await comes("pauses are counted by JVM", rows("#jvms tbody tr"), areCounted, whole);
  const sayWhose = (it) => it.length === 3 && it.every((row) => row.includes("(pid 4"));
  await comes("each of the longest says its JVM", rows("#longest tbody tr"), sayWhose, whole);
  await comes("the sum is said to be that of several", text(".cards"), (it) => /stopped in the last .*, 2 JVMs/.test(it), whole);
  check("no console errors with several JVMs", page.problems.length === 0, page.problems.slice(0, 3).join(" | "));
  await seen(browser, live.url);
  if (screenshots) await page.screenshot({ path: `${screenshots}/live-all.png`, fullPage: true });
  await page.context().close();
  live.close();
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
  const live = await serve({ title: "orders (pid 4242)", version: data.version, limitMs: LIMIT_MS, sinceMs: Date.now() - 60_000 });
  const page = await arrival(browser, live, events);
  await selecting(page, live, events);
  await following(page, live, events);
  await reconnecting(page, live, events);
  await outOfOrder(page, live, events);
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
  await severalJvms(browser, events);
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
console.log(`${checks - failures} passed, ${failures} failed`);
process.exit(failures > 0 ? 1 : 0);
