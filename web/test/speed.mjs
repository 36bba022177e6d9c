// How fast a page of many pauses is: until something is painted, and while zooming. Numbers only; what is
// fast enough depends on the machine.
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const WHEEL_STEPS = 40;

export async function measure(context, path) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const watcher = new MutationObserver(() => {
      if (!document.getElementById("timeline-canvas")?.dataset.bars) return;
      window.drawnAfter = performance.now();
      watcher.disconnect();
    });
    watcher.observe(document, { subtree: true, childList: true, attributes: true });
  });
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction(() => document.getElementById("timeline-canvas")?.dataset.bars > 0);
  await page.waitForTimeout(300);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.getEntriesByType("paint")[0]?.startTime);
  const drawn = await page.evaluate(() => window.drawnAfter);
  const deltas = await page.evaluate(zoomAndCount, WHEEL_STEPS);
  const work = await page.evaluate(workPerFrame, WHEEL_STEPS);
  deltas.sort((a, b) => a - b);
  const median = deltas[Math.floor(deltas.length / 2)];
  const p95 = deltas[Math.floor(deltas.length * 0.95)];
  console.log(`${basename(path)}: first paint ${Math.round(paint)} ms, time line drawn after ${Math.round(drawn)} ms, zooming ${(1000 / median).toFixed(0)} frames/s (median of ${deltas.length}), 95 % of frames within ${p95.toFixed(1)} ms, ${work.toFixed(2)} ms of script a frame`);
  await page.close();
}

/** One wheel step in each frame, in and out; the times between the frames. */
function zoomAndCount(steps) {
  return new Promise((done) => {
    const canvas = document.getElementById("timeline-canvas");
    const box = canvas.getBoundingClientRect();
    const deltas = [];
    let [step, last] = [0, 0];
    const frame = (now) => {
      if (last) deltas.push(now - last);
      last = now;
      if (step++ > steps) return done(deltas);
      const deltaY = step < steps / 2 ? -120 : 120;
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: box.left + box.width * 0.6, clientY: box.top + 50, bubbles: true, cancelable: true }));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** Script time of the drawings that one wheel step asks for, the mean. */
async function workPerFrame(steps) {
  const canvas = document.getElementById("timeline-canvas");
  const box = canvas.getBoundingClientRect();
  let total = 0;
  for (let step = 0; step < steps; step++) {
    await new Promise((done) => {
      let before = 0;
      // Run in this order within the next frame: the clock, the drawings, the clock.
      requestAnimationFrame(() => (before = performance.now()));
      const deltaY = step < steps / 2 ? -120 : 120;
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: box.left + box.width * 0.6, clientY: box.top + 50, bubbles: true, cancelable: true }));
      requestAnimationFrame(() => {
        total += performance.now() - before;
        done();
      });
    });
  }
  return total / steps;
}
