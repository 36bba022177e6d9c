// Parts of the page built for Node, and pauses to put into them.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const fileOf = (name) => [".ts", ".tsx"].map((end) => join(root, "src", `${name}${end}`)).find(existsSync);

/** Builds these files of src/ together, as they share what is at the top of a module; gives a function that loads one. */
export async function built(names) {
  const out = mkdtempSync(join(tmpdir(), "page-"));
  after(() => rmSync(out, { recursive: true }));
  await build({
    root,
    configFile: false,
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: out,
      minify: false,
      lib: { entry: Object.fromEntries(names.map((it) => [it.replace("/", "-"), fileOf(it)])), formats: ["es"] },
    },
  });
  return (name) => import(pathToFileURL(join(out, `${name}.js`)).href);
}

/** The columns of pauses of begin and length. */
export const columns = (pauses, more = {}) => ({
  count: pauses.length,
  origin_wall_ms: null,
  origin_uptime_ms: null,
  zone_minutes: null,
  span_ms: 0,
  limit_ms: 50,
  start_us: pauses.map(([start], i) => start - (pauses[i - 1]?.[0] ?? 0)),
  length_us: pauses.map(([, length]) => length),
  reaching_us: pauses.map(() => 0),
  kind: "s".repeat(pauses.length),
  collected: "y".repeat(pauses.length),
  operation: pauses.map(() => 0),
  operations: ["G1"],
  parts: pauses.flatMap(() => [0]),
  left_out: 0,
  ...more,
});
