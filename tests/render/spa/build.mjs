// node build.mjs SOURCES OUTPUT — run in the folder that holds node_modules.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const { build } = require("esbuild");
const { compile } = require("svelte/compiler"); // the CommonJS build, which require() resolves to
const [sources, output] = process.argv.slice(2);

const svelte = {
  name: "svelte",
  setup(bundler) {
    bundler.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await readFile(path, "utf8"), { filename: path, generate: "client" });
      return { contents: js.code, loader: "js", resolveDir: sources };
    });
  },
};

await build({
  entryPoints: ["react.jsx", "vue.js", "svelte.js"].map((name) => join(sources, name)),
  outdir: output,
  bundle: true,
  minify: true,
  format: "iife",
  jsx: "automatic",
  conditions: ["browser", "svelte"],
  nodePaths: [join(process.cwd(), "node_modules")],
  define: { "process.env.NODE_ENV": '"production"', __VUE_OPTIONS_API__: "false", __VUE_PROD_DEVTOOLS__: "false", __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false" },
  plugins: [svelte],
  logLevel: "error",
});
