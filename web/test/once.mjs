/** What `read` says once it is as it should be, or after a minute what it says then: beside load a page draws late. */
export async function once(read, isGood) {
  for (const end = Date.now() + 60_000; ; await new Promise((done) => setTimeout(done, 50))) {
    const it = await read();
    if (isGood(it) || Date.now() > end) return it;
  }
}
