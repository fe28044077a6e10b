// Bundles src/ and what it uses into dist/, from nothing, so that no file of an older build stays behind.
// Why a bundle: docs/decisions/one-bundle.md.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";

/** What agents that are written as code import from this package: `acp-hall/agent`, and so on. */
const EXPORTS = { agent: "agents/host/define", ai: "agents/host/ai", graph: "agents/host/graph" };

/** What is started or imported from outside, by its place in src/ and in dist/. */
const ENTRIES = [
  "cli/main",
  "demo/main",
  "agents/demo/main",
  "agents/host/main",
  "hall/schema-file",
  ...Object.values(EXPORTS),
];

const root = dirname(import.meta.dirname);
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const outside = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map((entry) => [entry, join(root, "src", `${entry}.ts`)])),
  platform: "node",
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
});
rmSync(dist, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: dist,
  format: "esm",
  chunkFileNames: "parts/[name]-[hash].js",
  // Names stay as they are written, for the stack trace that somebody sends us.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
  comments: false,
});
await bundle.close();
chmodSync(join(dist, "cli", "main.js"), 0o755);
declareTypes();
writeFileSync(join(dist, "LICENSES.txt"), licences(output.flatMap(({ moduleIds = [] }) => moduleIds)));

/** The types of what agents import from this package. */
function declareTypes() {
  const require = createRequire(import.meta.url);
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const config = join(root, "tsconfig.exports.json");
  const { status } = spawnSync(process.execPath, [tsc, "-p", config], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** The licences of the packages that the bundle holds parts of, as these ask for. */
function licences(modules) {
  const folders = new Set(modules.flatMap((id) => packageFolder(id) ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${name} has no licence file; it cannot be bundled.`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return `hall contains parts of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

/** The folder of the package that a module is of; undefined for a module of ours or of the bundler. */
function packageFolder(id) {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  return folder && existsSync(join(folder, "package.json")) ? folder : undefined;
}
