import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { MARK_VARIABLE } from "../../agents/mark.ts";
import type { Clock } from "../../ground/clock.ts";
import { isOwnFolder } from "../../ground/own-folder.ts";
import { packageRoot } from "../../ground/package-root.ts";
import { type Finding, Findings } from "./finding.ts";

/** What a command of ours finds around itself. */
export interface Surroundings {
  /** Of Node, without its `v`. */
  nodeVersion: string;
  /** The oldest Node that hall runs on. */
  nodeFloor: string;
  env: NodeJS.ProcessEnv;
  /** ms since the epoch. */
  now: number;
  /** When this hall was installed: it cannot be earlier. ms since the epoch. */
  installed: number;
  /** What $XDG_RUNTIME_DIR names is a folder, and this user's alone; undefined: it names nothing. */
  runtimeFolder: "own" | "missing" | "foreign" | undefined;
  platform: NodeJS.Platform;
}

export function surroundings(clock: Clock, env = process.env): Surroundings {
  const manifest = path.join(packageRoot(), "package.json");
  const [, floor = "0"] = /"node": ">=([\d.]+)"/.exec(readFileSync(manifest, "utf8")) ?? [];
  const runtime = env.XDG_RUNTIME_DIR;
  return {
    nodeVersion: process.versions.node,
    nodeFloor: floor,
    env,
    now: clock.now(),
    installed: statSync(manifest).mtimeMs,
    runtimeFolder: runtime ? standingOf(runtime) : undefined,
    platform: process.platform,
  };
}

function standingOf(folder: string): "own" | "missing" | "foreign" {
  if (!path.isAbsolute(folder) || !existsSync(folder)) return "missing";
  return isOwnFolder(folder) ? "own" : "foreign";
}

/** A clock may be wrong by its time zone and nobody is hurt. */
const DAY_MS = 24 * 3_600_000;

export const surroundingsFindings = (here: Surroundings): Finding[] => [
  ...nodeFindings(here),
  ...pathFindings(here.env.PATH),
  ...clockFindings(here),
  ...runtimeFindings(here),
  ...agentFindings(here.env),
];

function nodeFindings({ nodeVersion, nodeFloor }: Surroundings): Finding[] {
  const findings = new Findings("node");
  if (isOlder(nodeVersion, nodeFloor))
    findings.fault(
      `Node is ${nodeVersion}, and hall needs ${nodeFloor} or newer.`,
      "Install a newer Node: https://nodejs.org/en/download",
    );
  return findings.elseOk(`Node ${nodeVersion}`).all;
}

function isOlder(version: string, floor: string): boolean {
  const [have, need] = [version, floor].map((text) => text.split(".").map(Number));
  for (const [at, least] of (need ?? []).entries()) {
    const part = have?.[at] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}

function pathFindings(searched: string | undefined): Finding[] {
  const findings = new Findings("path");
  if (!searched)
    return findings.warning(
      "PATH is not set: agents are looked for in /usr/local/bin, /usr/bin and /bin.",
      "export PATH=/usr/local/bin:/usr/bin:/bin",
    ).all;
  const folders = searched.split(path.delimiter);
  const relative = folders.filter((folder) => !path.isAbsolute(folder));
  if (relative.length > 0)
    findings.warning(
      `PATH has folders that are not absolute (${relative.map((folder) => JSON.stringify(folder)).join(", ")}); hall passes them over.`,
      "Write them from the root, or take them out of PATH.",
    );
  return findings.elseOk(`PATH has ${folders.length} ${folders.length === 1 ? "folder" : "folders"}`).all;
}

function clockFindings({ now, installed }: Surroundings): Finding[] {
  const told = new Date(now).toISOString();
  const findings = new Findings("clock");
  if (now < installed - DAY_MS)
    findings.fault(
      `The clock says ${told}, which is before this hall was installed: certificates, logins and the age of turns are judged by it.`,
      "Set the clock: timedatectl set-ntp true",
    );
  return findings.elseOk(`The clock says ${told}`).all;
}

function runtimeFindings({ runtimeFolder, env, platform }: Surroundings): Finding[] {
  const folder = env.XDG_RUNTIME_DIR ?? "";
  const findings = new Findings("runtime-folder");
  if (runtimeFolder === "own") return findings.ok(folder).all;
  if (runtimeFolder === "missing")
    return findings.warning(
      `XDG_RUNTIME_DIR is ${folder}, which is no folder; halls write their addresses to ~/.local/state/hall instead.`,
      "unset XDG_RUNTIME_DIR, or log in anew so that the system makes it.",
    ).all;
  if (runtimeFolder === "foreign")
    return findings.warning(
      `XDG_RUNTIME_DIR is ${folder}, which is not this user's alone (after su or sudo it is still the other user's).`,
      "unset XDG_RUNTIME_DIR, or log in as this user.",
    ).all;
  // Others have none, and need none.
  if (platform !== "linux") return [];
  return findings.ok("XDG_RUNTIME_DIR is not set; halls write their addresses to ~/.local/state/hall").all;
}

function agentFindings(env: NodeJS.ProcessEnv): Finding[] {
  const findings = new Findings("inside-agent");
  if (env[MARK_VARIABLE] === undefined) return [];
  return findings.warning(
    `This runs inside an agent of a hall (${MARK_VARIABLE} is set): hall token, permissions allow, stop, reload, cancel and kill are refused here.`,
    "Run hall doctor in a shell of your own.",
  ).all;
}
