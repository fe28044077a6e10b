import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** An npm package at one version: what the tests know the behaviour of. */
export interface Pinned {
  readonly name: string;
  readonly version: string;
  /** It is not whole without its install scripts; no other package may run any. */
  readonly scripts?: true;
}

const LAST_LINES = 8;

/** Where installed packages are kept from run to run, outside the tree. */
export const cacheFolder = (): string =>
  process.env.HALL_AGENTS_CACHE ?? join(homedir(), ".cache", "acp-hall-agents");

/** A file of an installed package. */
export const fileOf = (pinned: Pinned, ...path: string[]): string =>
  join(folderOf(pinned), "node_modules", pinned.name, ...path);

/** The folder of an installed package's programs: for a PATH. */
export const programsOf = (pinned: Pinned): string => join(folderOf(pinned), "node_modules", ".bin");

/** The npm prefix of one package: its own, so that no two disagree about what they share. */
const folderOf = ({ name, version }: Pinned): string =>
  join(cacheFolder(), `${name.replace("/", "+")}@${version}`);

/**
 * Installs a package unless it is there. The folder appears when it is complete: neither a run that was killed nor
 * one beside this leaves half a package in it. Rejects with what npm said, and what to do.
 */
export async function install(pinned: Pinned): Promise<void> {
  const folder = folderOf(pinned);
  if (existsSync(folder)) return;
  await mkdir(cacheFolder(), { recursive: true });
  const draft = await mkdtemp(`${folder}.`);
  try {
    await writeFile(join(draft, "package.json"), JSON.stringify({ private: true }));
    await npmInstall(pinned, draft);
    await rename(draft, folder);
  } catch (error) {
    // Whoever was faster has put the same there.
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function npmInstall(pinned: Pinned, prefix: string): Promise<void> {
  const what = `${pinned.name}@${pinned.version}`;
  const flags = ["--no-audit", "--no-fund", "--loglevel=error", `--ignore-scripts=${!pinned.scripts}`];
  const npm = spawn("npm", ["install", "--prefix", prefix, ...flags, what], {
    cwd: prefix,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  npm.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = await once(npm, "close");
  if (code === 0) return;
  throw new Error(
    [
      `${what} is not in ${cacheFolder()}, and npm could not install it.`,
      "Run this again where the npm registry can be reached, or set HALL_AGENTS_CACHE to a folder that has it.",
      ...said.trimEnd().split("\n").slice(-LAST_LINES),
    ].join("\n"),
  );
}
