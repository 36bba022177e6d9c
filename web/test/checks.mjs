// What is done on each page: each check yields its name, whether it holds, and a detail.
import { once } from "./once.mjs";

const TIMELINE = "#timeline-canvas";

const range = (page, canvas) => page.$eval(canvas, (it) => [Number(it.dataset.from), Number(it.dataset.to)]);
const selected = (page) => page.$eval(TIMELINE, (it) => it.dataset.selected);
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));

const has = (locator, count) => once(() => locator.count(), (it) => it === count);

async function* shown(page) {
  const data = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).answer);
  const text = (await page.textContent(".verdict")).replaceAll("\u00a0", " ");
  // Names are in backticks, which the page shows as code.
  yield ["the verdict is shown", text.includes(data.verdict.replaceAll("`", "").slice(0, 20)), ""];
  yield ["cards are shown", (await page.locator(".cards > div").count()) === data.cards.length, `${data.cards.length}`];
  yield ["what to do is one list", (await page.locator(".to-do li").count()) === data.to_do.length && new Set(data.to_do.map((it) => `${it.when} ${it.text}`)).size === data.to_do.length, `${data.to_do.length}`];
  const hiccups = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).pauses.kind.split("h").length - 1);
  const marked = page.locator(".marks .hiccups");
  yield ["hiccups have a mark of their own", (await marked.count()) === (hiccups > 0 ? 1 : 0), `${hiccups}`];
  const violations = await page.evaluate(() => document.querySelectorAll("main script, main img, main [onerror], main [style*='fixed']").length);
  yield ["data is text, never markup", violations === 0, violations ? `${violations} elements` : ""];
}

async function* timeline(page) {
  const canvas = page.locator(TIMELINE);
  await canvas.scrollIntoViewIfNeeded();
  await page.keyboard.press("0");
  const before = await selected(page);
  const isDrawn = () => canvas.evaluate((it) => it.getContext("2d").getImageData(0, 0, it.width, it.height).data.some((value) => value > 0));
  yield ["the time line is drawn", await once(isDrawn, (it) => it), ""];
  // From the end of the run to its begin, until a press opens another pause.
  let now = before;
  for (let share = 0.99; share >= -0.005 && now === before; share -= 0.01) {
    // A press that opens a pause may move the page.
    await canvas.scrollIntoViewIfNeeded();
    const at = await canvas.boundingBox();
    await page.mouse.click(at.x + 60 + (at.width - 70) * share, at.y + at.height * 0.7);
    await settle(page);
    now = await selected(page);
  }
  const count = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).pauses.count);
  const both = async () => [await selected(page), await page.getAttribute("#pause", "data-pause")];
  const opens = ([chosen, opened]) => opened === chosen && (chosen !== before || count === 1);
  const pair = await once(both, opens);
  now = pair[0];
  yield ["a click on a pause opens it", opens(pair), `${before} → ${now}`];
  const top = () => page.$eval("#pause", (it) => it.getBoundingClientRect().top / innerHeight);
  const isSeen = (it) => it >= 0 && it <= 0.6;
  const seen = await once(top, isSeen);
  yield ["and the pause that was opened is in sight", isSeen(seen), `at ${Math.round(seen * 100)} % of the height`];
  yield ["with a line beneath the time line", (await page.textContent("#opened-line")).length > 5, ""];
  await page.keyboard.press("t");
  await settle(page);
  const [there, back] = Number(now) + 1 < count ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
  await page.keyboard.press(there);
  await settle(page);
  const other = await once(() => selected(page), (it) => it !== now || count === 1);
  await page.keyboard.press(back);
  await settle(page);
  const again = await once(() => selected(page), (it) => it === now);
  yield ["arrow keys step through the pauses", (other !== now && again === now) || count === 1, `${now} → ${other}`];
  yield* zooming(page, canvas);
  yield* choosing(page, count);
}

/** Lines of the host follow the time line. */
async function* hostLines(page) {
  const lines = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).host);
  const canvas = page.locator("canvas.host-lines");
  if (lines.length === 0) return void (await canvas.count());
  const picture = () => canvas.evaluate((it) => it.toDataURL());
  const text = await page.textContent(".host summary");
  const shown = lines.filter((it) => it.is_shown).length || Math.min(2, lines.length);
  yield ["lines of the host have names and units", Number(await canvas.getAttribute("data-lines")) === shown && /[KMG]?i?B|pages|per s|%|CPUs/.test(text), text.slice(0, 80)];
  if (lines.length > shown) {
    await page.locator(".all-lines").click();
    const all = await once(() => canvas.getAttribute("data-lines"), (it) => Number(it) === lines.length);
    yield ["flat ones and others are one press away", Number(all) === lines.length, `${shown} of ${lines.length}`];
  }
  yield ["and at most 1,000 points each", lines.every((it) => it.at_ms.length <= 1_000 && it.at_ms.length === it.value.length), ""];
  const whole = await picture();
  await page.keyboard.press("w");
  await page.keyboard.press("w");
  await settle(page);
  yield ["and follow the zoom", whole !== (await once(picture, (it) => it !== whole)), ""];
  await page.keyboard.press("0");
}

/** Threads that stood while the JVM ran: lanes beneath the pauses, and one opened in place of a pause. */
async function* stalls(page) {
  const told = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).stalls ?? null);
  const canvas = page.locator("#stall-lanes");
  yield ["lanes of stalls are there where there are any", (await canvas.count()) === (told ? 1 : 0) && (await page.locator("#stalls").count()) === (told ? 1 : 0), `${told?.episodes.length ?? 0}`];
  if (!told) return;
  await canvas.scrollIntoViewIfNeeded();
  const lanes = Number(await canvas.getAttribute("data-lanes"));
  const pools = new Set(told.threads.map((it) => it.pool)).size;
  yield ["a lane for each pool, at most 8", lanes === Math.min(8, pools), `${lanes} of ${pools}`];
  const picture = () => canvas.evaluate((it) => it.toDataURL());
  const whole = await picture();
  const opened = () => page.getAttribute("#pause", "data-stall");
  let now = null;
  for (let share = 0.02; share < 1 && now === null; share += 0.02) {
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + 54 + (box.width - 62) * share, box.y + 25);
    await settle(page);
    now = await opened();
  }
  yield ["a click on a stall opens its episode", now !== null, `${now}`];
  const { told: text, members } = told.episodes[Number(now)];
  yield ["and says what it was", (await page.textContent("#pause .told")).includes(text.slice(0, 200)), text.slice(0, 80)];
  const threads = new Set(members.filter((_, at) => at % 5 === 0)).size;
  yield ["with a lane for each of its threads", Number(await page.getAttribute("#pause", "data-lanes")) === threads, `${threads}`];
  yield ["and what was selected is spoken", (await page.textContent("#spoken")).startsWith("Stall at"), ""];
  yield* exported(page);
  await canvas.focus();
  await page.keyboard.press(Number(now) > 0 ? "ArrowLeft" : "ArrowRight");
  await settle(page);
  const other = await once(opened, (it) => it !== now);
  yield ["arrow keys step through the episodes", other !== now, `${now} → ${other}`];
  const withPlace = told.episodes.findIndex((it) => told.places[it.place].marked !== null);
  await page.evaluate((stall) => (location.hash = `#stall=${stall}`), withPlace);
  await settle(page);
  yield ["the longest shows its kernel stack, with the frame that proves it", withPlace < 0 || (await has(page.locator("#kernel-stack .marked"), 1)) === 1, ""];
  await page.keyboard.press("w");
  await settle(page);
  yield ["lanes of stalls follow the zoom", whole !== (await once(picture, (it) => it !== whole)), ""];
  await page.keyboard.press("0");
  const row = page.locator("#episodes tbody button").first();
  await row.click();
  await settle(page);
  const most = told.episodes.reduce((best, it, at) => (it.time_us > told.episodes[best].time_us ? at : best), 0);
  yield ["the table opens an episode, the one with most time first", (await once(opened, (it) => it === String(most))) === String(most), ""];
  if ((await page.locator("#longest").count()) === 0) return;
  await page.evaluate(() => (location.hash = "#pause=0"));
  await settle(page);
  yield ["a pause takes its place again", (await once(() => page.getAttribute("#pause", "data-pause"), (it) => it === "0")) === "0" && (await opened()) === null, ""];
}

/** The range and the filter choose pauses, and numbers are of those. */
async function* choosing(page, count) {
  const total = () => page.textContent(".cards dd");
  const note = page.locator(".verdict .chosen-note");
  const whole = await total();
  yield ["numbers of all pauses have no note", (await note.count()) === 0, ""];
  const { causes, pauses } = await page.evaluate(() => {
    const { causes, pauses } = JSON.parse(document.getElementById("data").textContent);
    return { causes, pauses };
  });
  const most = Math.max(...pauses.length_us);
  // A range that holds the longest pause and less than a tenth of the run.
  const starts = pauses.start_us.reduce((all, it) => [...all, (all.at(-1) ?? 0) + it], []);
  const at = starts[pauses.length_us.indexOf(most)];
  const width = Math.max(100, Math.min(most, pauses.span_ms * 50));
  const before = await page.$eval(TIMELINE, (it) => it.getBoundingClientRect().top + scrollY);
  await page.evaluate((hash) => (location.hash = hash), `#from=${Math.max(0, Math.round(at))}&to=${Math.round(at + width)}`);
  const noted = await once(() => note.count(), (it) => it === 1);
  yield ["numbers of a range say of how many pauses they are", noted === 1 && (await note.textContent()).includes(` of ${count} pause`), noted ? await note.textContent() : ""];
  yield ["and that the rest is of the whole run", (await page.locator("#gc").count()) === 0 || (await page.locator("#gc .of-whole").count()) === 1, ""];
  const zoomed = await page.$eval(TIMELINE, (it) => it.getBoundingClientRect().top + scrollY);
  yield ["and the time line stays where it is", Math.abs(zoomed - before) <= 2, `${before} → ${zoomed}`];
  await page.keyboard.press("r");
  yield ["R makes them those of all again", (await once(() => note.count(), (it) => it === 0)) === 0 && (await once(total, (it) => it === whole)) === whole, whole];
  await page.keyboard.press("r");
  await page.keyboard.press("0");
  if ((await page.locator(".filter").count()) === 0) return;
  await page.selectOption("#filter-cause", causes.find((_, index) => isPart(pauses.parts, index))?.id ?? "unexplained");
  const isFiltered = (it) => it.includes("cause=");
  yield ["a filter is in the address", isFiltered(await once(() => page.evaluate(() => location.hash), isFiltered)), ""];
  await page.keyboard.press("/");
  await page.keyboard.type("no such pause");
  const none = (it) => it?.startsWith("0 of");
  const said = await once(() => note.textContent({ timeout: 2_000 }).catch(() => ""), none);
  yield ["/ searches, and what nothing has leaves no pause", none(said), said];
  yield ["and no bar", (await once(() => page.$eval(TIMELINE, (it) => it.dataset.bars), (it) => it === "0")) === "0", ""];
  await page.keyboard.press("Escape");
  await note.getByRole("button").click();
  yield ["show all takes filter and range away", (await once(() => note.count(), (it) => it === 0)) === 0 && (await once(total, (it) => it === whole)) === whole, ""];
  const kinds = page.getByRole("button", { name: "by kind" });
  if ((await kinds.count()) === 0) return;
  await kinds.click();
  const picture = await once(() => page.locator(".legend[aria-label^=kinds] .entry").count(), (it) => it > 0);
  yield ["the bars may be coloured by kind of collection", picture > 0, `${picture}`];
  await page.keyboard.press("k");
}

/** Whether a cause has a part of any pause. */
function isPart(parts, cause) {
  for (let at = 0; at < parts.length; at += 1 + 2 * parts[at]) {
    for (let part = 0; part < parts[at]; part++) if (parts[at + 1 + 2 * part] === cause && parts[at + 2 + 2 * part] > 0) return true;
  }
  return false;
}

async function* zooming(page, canvas) {
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const whole = await range(page, TIMELINE);
  const width = ([from, to]) => to - from;
  const rangeOnce = (isGood) => once(() => range(page, TIMELINE), isGood);
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.wheel(0, -240);
  await settle(page);
  const wheeled = await rangeOnce((it) => width(it) < width(whole));
  yield ["the wheel zooms", width(wheeled) < width(whole), ""];
  await page.keyboard.press("w");
  await settle(page);
  const keyed = await rangeOnce((it) => width(it) < width(wheeled));
  yield ["W zooms", width(keyed) < width(wheeled), ""];
  await page.keyboard.press("d");
  await settle(page);
  yield ["D moves", (await rangeOnce((it) => it[0] > keyed[0]))[0] > keyed[0], ""];
  const showsAll = async () => {
    await page.keyboard.press("0");
    await settle(page);
    return width(await rangeOnce((it) => width(it) === width(whole))) === width(whole);
  };
  yield ["0 shows all", await showsAll(), ""];
  const selects = async (y, from, to) => {
    await page.mouse.move(from, y);
    await page.mouse.down();
    await page.mouse.move(to, y, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    const isPart = (it) => width(it) < width(whole) / 2;
    return isPart(await rangeOnce(isPart));
  };
  yield ["a drag selects a range", await selects(box.y + 60, box.x + 200, box.x + 300), ""];
  await showsAll();
  await page.locator(".overview").scrollIntoViewIfNeeded();
  const overview = await page.locator(".overview").boundingBox();
  yield ["the overview selects a range", await selects(overview.y + 20, overview.x + 300, overview.x + 420), ""];
  await showsAll();
  const entry = page.locator(".legend .entry").first();
  await entry.click();
  const pressed = await once(() => entry.getAttribute("aria-pressed"), (it) => it === "true");
  yield ["a legend entry dims the others", pressed === "true", ""];
  await entry.click();
}

/** The pauses that were opened by the program: lanes, a slice, its stack. */
async function* lanes(page) {
  const opened = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).opened.filter((it) => it.lanes.length > 0));
  if (opened.length === 0) return;
  await page.evaluate((pause) => (location.hash = `#pause=${pause}`), opened[0].pause);
  await settle(page);
  const enough = (count) => count > Math.min(16, opened[0].lanes.length);
  const names = await once(() => page.locator(".lane-names li").count(), enough);
  yield ["lanes are there", enough(names), `${names} of ${opened[0].lanes.length}`];
  const chain = opened[0].chain;
  yield ["who waited for whom is one sentence above them", (await page.locator("#pause .chain").count()) === (chain ? 1 : 0) && (!chain || (await page.textContent("#pause .chain")).startsWith(chain.slice(0, 100))), chain.slice(0, 60)];
  const hasStack = opened[0].waits.some((it) => it.stack.length > 0 && it.marked !== null);
  const canvas = page.locator("#lanes");
  await canvas.scrollIntoViewIfNeeded();
  const narrow = await range(page, "#lanes");
  await canvas.focus();
  await page.keyboard.press("0");
  await settle(page);
  const whole = await range(page, "#lanes");
  yield ["0 shows the whole pause", whole[1] - whole[0] >= narrow[1] - narrow[0], ""];
  if (hasStack) {
    await page.keyboard.press("Escape");
    const place = blockedPlace(opened[0]);
    const box = await canvas.boundingBox();
    await page.mouse.click(box.x + ((place.us - whole[0]) / (whole[1] - whole[0])) * box.width, box.y + 20 + (place.lane + 1) * 28 + 10);
    await settle(page);
    const frames = await once(() => page.locator("#kernel-stack li").count(), (it) => it > 0);
    yield ["the blocked slice shows its kernel stack", frames > 0, `${frames} frames`];
    yield ["the frame that proves it is marked", (await has(page.locator("#kernel-stack .marked"), 1)) === 1, ""];
  }
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + 100, box.y + 60);
  await page.mouse.wheel(0, -240);
  await settle(page);
  const isPart = (it) => it[1] - it[0] < whole[1] - whole[0];
  yield ["the wheel zooms the lanes", isPart(await once(() => range(page, "#lanes"), isPart)), ""];
  yield* exported(page);
}

/** The pauses of which only a log tells: stages, steps, or what the log would need. */
async function* stages(page) {
  const opened = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).opened.filter((it) => it.lanes.length === 0 && it.stages.length > 0));
  if (opened.length === 0) return;
  const most = opened.reduce((a, b) => (b.stages.flatMap((it) => it.steps).length > a.stages.flatMap((it) => it.steps).length ? b : a));
  await page.evaluate((pause) => (location.hash = `#pause=${pause}`), most.pause);
  await settle(page);
  const rows = most.stages.length + most.stages.flatMap((it) => it.steps).length;
  yield ["the stages are drawn and listed", (await has(page.locator("canvas.stages"), 1)) === 1 && (await has(page.locator(".phases").first().locator("tr"), rows)) === rows, `${rows}`];
  yield ["what the log lacks is said", (await has(page.locator(".needs li"), most.needs.length)) === most.needs.length, `${most.needs.length}`];
  yield* exported(page);
}

function blockedPlace(opened) {
  let best = { us: 0, lane: 0, length: 0 };
  opened.lanes.forEach((lane, index) => {
    for (const span of lane.spans) {
      const hasStack = span.wait !== null && opened.waits[span.wait].stack.length > 0 && opened.waits[span.wait].marked !== null;
      if (hasStack && span.length_us > best.length) best = { us: span.start_us + span.length_us / 2, lane: index, length: span.length_us };
    }
  });
  return best;
}

async function* exported(page) {
  for (const kind of ["SVG", "PNG"]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: `save the picture as ${kind}` }).click()]);
    const stream = await download.createReadStream();
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const isGood = kind === "PNG" ? bytes.subarray(1, 4).toString() === "PNG" : await isXml(page, bytes.toString());
    yield [`saves ${kind}`, isGood && bytes.length > 2_000, `${Math.round(bytes.length / 1024)} KiB`];
  }
}

const isXml = (page, text) =>
  page.evaluate((it) => {
    const parsed = new DOMParser().parseFromString(it, "image/svg+xml");
    return parsed.querySelector("parsererror, script, img") === null && parsed.documentElement.textContent.includes("whypause");
  }, text);

async function* tables(page) {
  const heads = page.locator("#longest th button");
  if ((await heads.count()) === 0) return;
  const head = page.locator("#longest th").first();
  const sorts = async (isGood) => {
    await heads.first().click();
    return once(async () => ({ cells: await page.$$eval("#longest tbody tr td:first-child", (all) => all.map((it) => it.textContent)), sort: await head.getAttribute("aria-sort") }), isGood);
  };
  const rising = await sorts((it) => it.sort === "ascending");
  const isFalling = ({ cells, sort }) => sort === "descending" && (cells.length === 1 || cells[0] !== rising.cells[0]);
  yield ["a table sorts", rising.sort === "ascending" && isFalling(await sorts(isFalling)), ""];
}

async function* copying(page) {
  const button = page.locator(".copy").first();
  if ((await button.count()) === 0) return;
  const before = await button.textContent();
  // It says so for a moment only, and copying takes what the browser takes for it.
  await button.evaluate((it) => {
    it.said = [];
    new MutationObserver(() => it.said.push(it.textContent)).observe(it, { childList: true, characterData: true, subtree: true });
  });
  await button.click();
  await page.waitForFunction((it) => it.said.length > 0, await button.elementHandle()).catch(() => {});
  const said = await button.evaluate((it) => it.said);
  yield ["a copy button copies and says so", before === "copy" && said[0] === "copied", said.join(", ")];
}

async function* themes(page) {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.selectOption("#theme", "light");
  const light = await ground();
  await page.selectOption("#theme", "dark");
  yield ["the theme switches", light !== (await once(ground, (it) => it !== light)), ""];
  await page.selectOption("#theme", "system");
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await settle(page);
  const listed = (isWanted) => once(() => page.locator("dialog.keys").isVisible(), (it) => it === isWanted);
  yield ["? lists the keys", await listed(true), ""];
  await page.keyboard.press("Escape");
  await settle(page);
  yield ["Escape closes the list", !(await listed(false)), ""];
}

export async function* functionalChecks(page) {
  yield* shown(page);
  const hasPauses = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).pauses.count > 0);
  if (hasPauses) yield* timeline(page);
  if (hasPauses) yield* hostLines(page);
  yield* stalls(page);
  yield* lanes(page);
  yield* stages(page);
  yield* tables(page);
  yield* copying(page);
  yield* themes(page);
}
