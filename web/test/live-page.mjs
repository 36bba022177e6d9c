// What the checks of a live page have in common: they open it in a browser, read what it shows, and say what
// they found, one line for each.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PATIENCE_MS, once } from "./once.mjs";

export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 390, height: 844 };
export const TIMELINE = "#timeline-canvas";
/** Pauses of the report from this length on are sent. */
export const LIMIT_MS = 5;

let failures = 0;
let checks = 0;

/** How many checks there were, and how many of them failed. */
export const tally = () => ({ checks, failures });

export function check(name, isGood, detail = "") {
  checks++;
  if (!isGood) failures++;
  console.log(`${isGood ? "ok  " : "FAIL"}  ${name}${detail ? ` (${detail})` : ""}`);
}

/** A check of what comes to hold, sooner or later. */
export async function comes(name, read, isGood, detail = () => "") {
  const it = await once(read, isGood);
  check(name, isGood(it), detail(it));
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
export const shown = (page) => page.$eval(TIMELINE, (it) => ({ pauses: Number(it.dataset.pauses), last: Number(it.dataset.lastStart), from: Number(it.dataset.from), to: Number(it.dataset.to), selected: Number(it.dataset.selected) }));
export const pausesAre = (page, count) => page.waitForFunction(([id, n]) => Number(document.querySelector(id)?.dataset.pauses) === n, [TIMELINE, count]);
export const statusHas = (page, text) => page.waitForFunction((it) => document.getElementById("status")?.textContent.includes(it), text);

export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (it) => ["error", "warning"].includes(it.type()) && page.problems.push(it.text()));
  page.on("pageerror", (it) => page.problems.push(String(it)));
  await page.goto(address, { waitUntil: "domcontentloaded" });
  await page.waitForFunction(() => document.querySelector("header.topbar"));
  return page;
}

/** What holds of every live page, also of one whose pauses are not ours. */
export async function seen(browser, address) {
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
