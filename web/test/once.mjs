/** How long anything may take, in milliseconds: where all of a suite runs beside it, a page draws late. */
export const PATIENCE_MS = 180_000;

/** What `read` says once it is as it should be, or what it says when there is no more patience. */
export async function once(read, isGood) {
  for (const end = Date.now() + PATIENCE_MS; ; await new Promise((done) => setTimeout(done, 50))) {
    const it = await read();
    if (isGood(it) || Date.now() > end) return it;
  }
}
