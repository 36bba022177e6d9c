// Opens pages in a real browser, from disk and without a network, and checks what a person would do there.
//
//   node test/page.mjs DIR [--screenshots DIR] [--speed FILE.html]
//   node test/page.mjs FILE.html --picture DIR      only the pictures of the documentation
//
// One line for each check. Exit code 1 where any failed; 0 with `SKIPPED: why` where there is no browser.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { functionalChecks } from "./checks.mjs";
import { compareChecks } from "./compare-checks.mjs";
import { fleetChecks } from "./fleet-checks.mjs";
import { PATIENCE_MS } from "./once.mjs";
import { measure } from "./speed.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"];
const WIDE = { width: 1280, height: 900 };
const AT_ONCE = 3;
const NARROW = { width: 390, height: 844 };
/** What the documentation shows: the answer, every pause, and the beginning of the one opened. */
const PICTURE = { width: 1120, height: 1000 };

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args.splice(args.indexOf(name), 2)[1] : null);
const screenshots = option("--screenshots");
const speed = option("--speed");
const picture = option("--picture");
const directory = args[0];

let failures = 0;
let checks = 0;
let shots = 0;

function report(file, name, isGood, detail = "") {
  checks++;
  if (!isGood) failures++;
  console.log(`${isGood ? "ok  " : "FAIL"}  ${file}: ${name}${detail ? ` (${detail})` : ""}`);
}

function skip(why) {
  console.log(`SKIPPED: ${why}`);
  process.exit(0);
}

/** A context without a network in which every request beyond the disk is refused and remembered. */
async function contextFor(browser, options) {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce", acceptDownloads: true, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.setOffline(true);
  context.refused = [];
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (/^(file|blob|data):/.test(url)) return route.continue();
    context.refused.push(url);
    return route.abort();
  });
  return context;
}

async function open(context, path) {
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (it) => ["error", "warning"].includes(it.type()) && page.problems.push(it.text()));
  page.on("pageerror", (it) => page.problems.push(String(it)));
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction(() => document.querySelector("header.topbar"));
  await page.waitForTimeout(150);
  return page;
}

async function functional(browser, path) {
  const file = basename(path);
  const context = await contextFor(browser, {});
  const page = await open(context, path);
  try {
    await allOf(context, page, file);
  } catch (error) {
    // Which page it was, and what the page itself said.
    const said = page.problems.map((it) => `the page said: ${it}`);
    report(file, "all can be checked", false, [String(error), ...said].join(" | ").slice(0, 1200));
  }
  await context.close();
}

async function allOf(context, page, file) {
  if (page.problems.length > 0) throw new Error("it does not come up");
  const isCompared = (await page.locator("#compare").count()) > 0;
  const isFleet = (await page.locator("main.fleet").count()) > 0;
  const checksOf = isCompared ? compareChecks : isFleet ? fleetChecks : functionalChecks;
  for await (const [name, isGood, detail] of checksOf(page)) report(file, name, isGood, detail);
  await page.setViewportSize(NARROW);
  await page.waitForTimeout(200);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  report(file, "no horizontal scroll at 390 px", wide <= 0, wide > 0 ? `${wide} px too wide` : "");
  await page.setViewportSize(WIDE);
  const pdf = await page.pdf({ printBackground: true });
  report(file, "prints to PDF", pdf.length > 10_000, `${Math.round(pdf.length / 1024)} KiB`);
  const lacking = await missingIn(pdf, page);
  if (lacking !== null) report(file, "the PDF has every section", lacking.length === 0, lacking.join(", "));
  report(file, "no console errors", page.problems.length === 0, page.problems.slice(0, 3).join(" | ").slice(0, 400));
  report(file, "no requests", context.refused.length === 0, context.refused.slice(0, 3).join(" "));
}

/** The titles of sections that are not in a PDF, the pause that is open among them; null where no program reads it. */
async function missingIn(pdf, page) {
  const read = spawnSync("pdftotext", ["-", "-"], { input: pdf, encoding: "utf8", timeout: 60_000, maxBuffer: 64 << 20 });
  if (read.error || read.status !== 0) return null;
  const titles = await page.$$eval("h2", (all) => all.filter((it) => it.closest("dialog") === null).map((it) => it.textContent.trim()));
  const text = read.stdout.replace(/\s+/g, " ");
  return titles.filter((it) => !text.includes(it.replace(/\s+/g, " ")));
}

async function accessible(browser, path, colorScheme) {
  // The policy of the page keeps axe out; the functional pass above ran with it.
  const context = await contextFor(browser, { bypassCSP: true, colorScheme });
  const page = await open(context, path);
  if (screenshots) await shoot(page, path, colorScheme);
  const require = createRequire(import.meta.url);
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const violations = await page.evaluate(async () => {
    const result = await window.axe.run(document, { resultTypes: ["violations"] });
    return result.violations
      .filter((it) => ["serious", "critical"].includes(it.impact))
      .map((it) => `${it.id}: ${it.nodes.length} × ${it.nodes[0].html.slice(0, 160)} ${it.nodes[0].any[0]?.message ?? ""}`);
  });
  report(basename(path), `accessible, ${colorScheme}`, violations.length === 0, violations.join(" | ").slice(0, 900));
  await context.close();
}

/** The whole page in both widths; the page is as wide as before afterwards. */
async function shoot(page, path, scheme) {
  // Playwright's own screenshots compress harder, and take twice the time.
  const browser = await page.context().newCDPSession(page);
  for (const viewport of [WIDE, NARROW]) {
    if (viewport !== WIDE) {
      await page.setViewportSize(viewport);
      await page.waitForTimeout(60);
    }
    const { cssContentSize } = await browser.send("Page.getLayoutMetrics");
    const { data } = await browser.send("Page.captureScreenshot", { optimizeForSpeed: true, captureBeyondViewport: true, clip: { ...cssContentSize, scale: 1 } });
    writeFileSync(join(screenshots, `${basename(path, ".html")}-${scheme}-${viewport.width}.png`), Buffer.from(data, "base64"));
    shots++;
  }
  await page.setViewportSize(WIDE);
}

async function pictures(browser, path, directory) {
  mkdirSync(directory, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    const context = await contextFor(browser, { viewport: PICTURE, colorScheme });
    const page = await open(context, path);
    await page.screenshot({ path: join(directory, `page-${colorScheme}.png`) });
    await context.close();
  }
}

async function launcher() {
  try {
    return (await import("playwright-core")).chromium;
  } catch {
    return skip("no node_modules: run `npm ci` in web/");
  }
}

if (!directory) {
  console.error("usage: node test/page.mjs DIR [--screenshots DIR] [--speed FILE]");
  process.exit(2);
}
if (!existsSync(CHROMIUM)) skip(`no browser at ${CHROMIUM}`);
const chromium = await launcher();
const browser = await chromium
  .launch({ executablePath: CHROMIUM, args: ARGS })
  .catch((error) => skip(`the browser does not start: ${String(error).split("\n")[0]}`));
try {
  if (picture) {
    await pictures(browser, resolve(directory), picture);
    process.exit(0);
  }
  const paths = readdirSync(directory)
    .filter((it) => it.endsWith(".html"))
    .sort()
    .map((it) => resolve(directory, it));
  if (paths.length === 0 && !speed) report(directory, "there are pages", false);
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  // A few at once: most of the time is waiting for a page to settle.
  const waiting = [...paths];
  const one = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      await functional(browser, path);
      for (const scheme of ["light", "dark"]) await accessible(browser, path, scheme);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  if (speed) await measure(await contextFor(browser, {}), resolve(speed));
} finally {
  await browser.close();
}
if (screenshots) console.log(`${shots} screenshots in ${screenshots}`);
console.log(`${checks - failures} passed, ${failures} failed`);
process.exit(failures > 0 ? 1 : 0);
