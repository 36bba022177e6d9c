// What is done on the page of two runs: each check yields its name, whether it holds, and a detail.
import { once } from "./once.mjs";

export async function* compareChecks(page) {
  const data = await page.evaluate(() => JSON.parse(document.getElementById("compare").textContent));
  const text = await page.textContent(".verdict");
  yield ["the verdict is shown", text.includes(data.verdict[0].replaceAll("`", "").slice(0, 20)), ""];
  const cards = await page.locator(".cards > div").count();
  yield ["cards have both runs", cards === data.cards.length && text.includes(data.cards[0].after), `${cards}`];
  yield* lines(page);
  yield* pairs(page, data);
  const rows = await page.locator(".changes tbody tr").count();
  yield ["every number is in the table", rows === data.rows.length, `${rows}`];
  const foreign = await page.evaluate(() => document.querySelectorAll("main script, main img, main [onerror], main [style]").length);
  yield ["data is text, never markup", foreign === 0, foreign ? `${foreign} elements` : ""];
  yield* narrow(page);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.selectOption("#theme", "light");
  const light = await ground();
  await page.selectOption("#theme", "dark");
  yield ["the theme switches", light !== (await once(ground, (it) => it !== light)), ""];
  await page.selectOption("#theme", "system");
}

async function* lines(page) {
  for (const name of ["before", "after"]) {
    const canvas = page.locator(`#line-${name}`);
    const isDrawn = () => canvas.evaluate((it) => it.getContext("2d").getImageData(0, 0, it.width, it.height).data.some((value) => value > 0));
    yield [`the time line ${name} is drawn`, await once(isDrawn, (it) => it), (await canvas.getAttribute("aria-label")).slice(0, 80)];
  }
  const widths = await page.$$eval("canvas.run-line", (all) => all.map((it) => it.getBoundingClientRect().width));
  yield ["both on one axis", widths.length === 2 && widths[0] === widths[1], widths.join(", ")];
  const picture = () => page.locator("#line-after").evaluate((it) => it.toDataURL());
  const log = await picture();
  await page.getByRole("button", { name: "linear" }).click();
  yield ["the axis of lengths is also linear", log !== (await once(picture, (it) => it !== log)), ""];
  await page.getByRole("button", { name: "log" }).click();
}

async function* pairs(page, data) {
  const rows = page.locator("#causes .pairs tbody tr");
  yield ["every cause has a pair of bars", (await rows.count()) === data.causes.length, `${data.causes.length}`];
  const widths = await page.$$eval("#causes .bar rect", (all) => all.map((it) => it.width.baseVal.value));
  yield ["the longest bar fills its place", data.causes.length === 0 || Math.max(...widths) === 100, ""];
  const sums = await page.$$eval("#lengths .said", (all) => all.map((it) => Number((/ in ([0-9,]+) pauses?$/.exec(it.textContent) ?? [, "0"])[1].replaceAll(",", ""))));
  const counted = data.runs.reduce((sum, { pauses }) => sum + (data.of_collections ? pauses.collected.replaceAll("-", "").length : pauses.count), 0);
  yield ["every pause is in a bucket", sums.reduce((a, b) => a + b, 0) === counted, `${counted}`];
}

/** On a telephone a row is a card, and nothing is cut off. */
async function* narrow(page) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const cutOff = () => page.$$eval(".changes td, .changes th, .pairs th, .said", (all) => all.filter((it) => it.getBoundingClientRect().right > innerWidth || (getComputedStyle(it).display !== "inline" && it.scrollWidth > it.clientWidth + 1)).filter((it) => !it.closest(".hidden") && it.getClientRects().length > 0).length);
  yield ["nothing is cut off at 390 px", (await once(cutOff, (it) => it === 0)) === 0, `${await cutOff()}`];
  await page.setViewportSize(size);
}
