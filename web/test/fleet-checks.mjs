// What is done on the page of many hosts: each check yields its name, whether it holds, and a detail.
import { once } from "./once.mjs";

export async function* fleetChecks(page) {
  const verdict = (await page.textContent("h1")).trim();
  yield ["the verdict is the first thing", verdict.length > 10, verdict.slice(0, 80)];
  const foreign = await page.evaluate(() => document.querySelectorAll("script, img, [onerror], [style]").length);
  yield ["data is text, never markup", foreign === 0, foreign ? `${foreign} elements` : ""];
  const links = await page.$$eval("a[href^='#']", (all) => all.map((it) => it.getAttribute("href").slice(1)).filter((id) => !document.getElementById(id)));
  yield ["links lead to something", links.length === 0, links.slice(0, 3).join(" ")];
  const hosts = page.locator("details.host");
  if ((await hosts.count()) === 0) return;
  yield* cells(page, hosts.first());
  yield* opens(page, hosts.first());
}

/** The cells are as wide as their column, are drawn in colours that differ, and say in words what they show. */
async function* cells(page, host) {
  const picture = host.locator("svg.cells");
  const box = await picture.boundingBox();
  yield ["a host has a line of cells", box.width > 300 && box.height > 8, `${Math.round(box.width)} × ${Math.round(box.height)}`];
  const label = await picture.getAttribute("aria-label");
  yield ["the cells have a text", /hours? with|not observed/.test(label), label.slice(0, 80)];
  const colours = await page.$$eval(".legend .key path", (all) => new Set(all.map((it) => getComputedStyle(it).fill)).size);
  yield ["six colours differ", colours === 6, `${colours}`];
}

/** A host opens by a click and by the keyboard, and shows what to run. */
async function* opens(page, host) {
  const isOpen = () => host.evaluate((it) => it.open);
  await host.locator("summary svg").click();
  yield ["a click on the cells opens a host", await once(isOpen, (it) => it), ""];
  const command = host.locator(".worst code").first();
  const isShown = (await command.count()) === 0 || (await command.isVisible());
  yield ["a host shows its longest pauses", isShown, (await host.locator("p").first().textContent()).slice(0, 80)];
  await host.locator("summary").focus();
  await page.keyboard.press("Enter");
  yield ["the keyboard closes it", !(await once(isOpen, (it) => !it)), ""];
}
