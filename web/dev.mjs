// Puts pages together for development, as the program does it: one HTML file from dist/ and the data.
//
//   node dev.mjs sample/out/x.json … [--to DIR]      writes DIR/x.html (default: beside the data)
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(fileURLToPath(import.meta.url)), "dist");

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const escapeHtml = (text) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/** The whole page for data as JSON text. */
export function assemble(json) {
  const { answer } = JSON.parse(json);
  const main = `<main id="page">
<h1>${escapeHtml(answer.verdict)}</h1>
${answer.header.map((it) => `<p>${escapeHtml(it)}</p>`).join("\n")}
</main>
<script type="application/json" id="data">${json.replace(/</g, "\\u003c")}</script>`;
  return shell(answer.title, main, []);
}

/** A live page, which gets its data from `events` beside it. */
export function assembleLive(title) {
  const main = `<main id="page" data-live="events">
<h1>${escapeHtml(title)}</h1>
<p>Waiting for the watch.</p>
</main>`;
  return shell(title, main, ["connect-src 'self'"]);
}

function shell(title, main, policies) {
  const script = readFileSync(join(dist, "page.js"), "utf8");
  const style = readFileSync(join(dist, "page.css"), "utf8");
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error("dist/ would end its own element");
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    ...policies,
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(`${title} · whypause`)}</title>
<style>${style}</style>
</head>
<body>
${main}
<script>${script}</script>
</body>
</html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const to = args.includes("--to") ? args.splice(args.indexOf("--to"), 2)[1] : null;
  if (to) mkdirSync(to, { recursive: true });
  for (const file of args) {
    const target = join(to ?? dirname(file), basename(file).replace(/\.json$/, ".html"));
    writeFileSync(target, assemble(readFileSync(file, "utf8")));
    console.log(target);
  }
}
