// One script and one style sheet, which the program embeds as they are: no modules, no source maps,
// no names with hashes, and the same bytes from the same sources.
import { defineConfig } from "vite";

export default defineConfig({
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2020",
    sourcemap: false,
    minify: true,
    cssMinify: true,
    emptyOutDir: true,
    reportCompressedSize: true,
    lib: {
      entry: "src/main.ts",
      name: "whypause",
      formats: ["iife"],
      fileName: () => "page.js",
      cssFileName: "page",
    },
  },
});
