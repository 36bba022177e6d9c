// Checks of a live page whose watch is not one of one JVM from its begin to its end: others follow at the same
// address, there are several JVMs, or there is no room.
import { LIMIT_MS, check, comes, open, pausesAre, seen, shown, statusHas } from "./live-page.mjs";
import { endedAt, serve } from "./live-server.mjs";
import { once } from "./once.mjs";

/** The watch ends without a word, and another one serves at the same address. */
export async function another(browser, events) {
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
export async function nextJvm(browser, events) {
  const first = await serve({ title: "orders (pid 4242)", limitMs: LIMIT_MS, sinceMs: Date.now() - 60_000 });
  const page = await open(browser, first.url);
  first.send(endedAt(events[0], Date.now()));
  await pausesAre(page, 1);
  first.end("the JVM exited", true);
  await statusHas(page, "the JVM exited; waiting for the next JVM");
  check("that the next JVM is awaited is said, and the pauses stay", (await shown(page)).pauses === 1);
  await page.evaluate(watchStatus);
  const asked = first.asked;
  // It asks again and again, and is told the same each time.
  await once(() => first.asked, (it) => it >= asked + 2);
  const said = await page.evaluate(() => window.said);
  check("nothing else is said while it is awaited", said.length === 0, said.join(" | "));
  first.close();
  const second = await serve({ title: "orders (pid 4711)", limitMs: LIMIT_MS, port: Number(new URL(first.url).port) });
  second.send(endedAt(events[1], Date.now()));
  await statusHas(page, "orders (pid 4711)");
  await pausesAre(page, 1);
  await comes("the page goes on with the next JVM by itself", () => page.title(), (it) => it.startsWith("orders (pid 4711)"), (it) => it);
  await page.context().close();
  second.close();
}

/** Remembers what the status line says from now on, whenever that changes. */
function watchStatus() {
  window.said = [];
  const status = document.getElementById("status");
  const options = { subtree: true, childList: true, characterData: true };
  new MutationObserver(() => window.said.push(status.textContent)).observe(status, options);
}

/** The server has no room for the page once, at which a browser gives up for good. */
export async function refused(browser, events) {
  const live = await serve({ title: "orders (pid 4242)", limitMs: LIMIT_MS, sinceMs: Date.now() - 60_000 });
  const page = await open(browser, live.url);
  for (let i = 0; i < 3; i++) live.send(endedAt(events[i], Date.now()));
  await pausesAre(page, 3);
  const { asked, hellos } = live;
  live.refuseOnce();
  live.drop();
  await statusHas(page, "connection lost, trying again");
  live.send(endedAt(events[3], Date.now()));
  await pausesAre(page, 4);
  await statusHas(page, "live");
  check("a page that is refused comes back by itself", live.asked === asked + 2 && live.hellos === hellos + 1, `asked ${live.asked - asked} times`);
  await page.waitForTimeout(1_300);
  check("and has each pause once", (await shown(page)).pauses === 4);
  await page.context().close();
  live.close();
}

/** All JVMs of a host on one page: each pause says its own. */
export async function severalJvms(browser, events, screenshots) {
  const live = await serve({ title: "all JVMs", limitMs: LIMIT_MS, sinceMs: Date.now() - 60_000 });
  const page = await open(browser, live.url);
  const of = (jvm, event) => live.send({ ...endedAt(event, Date.now()), jvm });
  for (const [i, jvm] of ["orders (pid 4242)", "<b>billing</b> (pid 4711)", "orders (pid 4242)"].entries()) of(jvm, events[i]);
  await pausesAre(page, 3);
  const text = (of) => () => page.textContent(of);
  const rows = (of) => () => page.locator(of).allTextContents();
  const whole = (it) => `${it}`;
  await comes("the newest line says whose pause it is", text(".newest-line"), (it) => it.includes("orders (pid 4242): "), whole);
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
