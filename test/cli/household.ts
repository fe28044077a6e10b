import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { realDisk } from "../../src/ground/disk.ts";
import { type RunningHall, runningHalls } from "../../src/hall/addresses.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { agentCommand } from "../doubles/scripted-agent/command.ts";
import type { JsonObject, Ways } from "../doubles/scripted-agent/ways.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { markOfNow } from "../leftovers/mark.ts";
import { type Finished, Running } from "./running.ts";

/** The built program. */
export const HALL = join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");

/** A slot as the roster writes it; with `ways` it runs a scripted agent. */
export type Slots = Record<string, JsonObject & { ways?: Ways }>;

export const DEMO: Slots = { demo: { demo: true } };

/** A user's home with nothing in it. The halls that run there are nobody else's, and end with the test. */
export class Household {
  /** Canonical. */
  readonly folder = temporaryFolder();
  /** Where commands run. */
  readonly work = join(this.folder, "work");
  readonly env: NodeJS.ProcessEnv;
  readonly #started: Running[] = [];
  readonly #editors: AcpClient[] = [];

  constructor() {
    mkdirSync(this.work);
    mkdirSync(join(this.folder, "run"), { mode: 0o700 });
    this.env = {
      PATH: process.env.PATH,
      HOME: this.folder,
      XDG_RUNTIME_DIR: join(this.folder, "run"),
      XDG_CONFIG_HOME: join(this.folder, "config"),
      ...markOfNow(),
    };
    onTestFinished(() => this.#close());
  }

  /** The halls that run here, as they say themselves. */
  get halls(): RunningHall[] {
    return runningHalls(realDisk, this.env);
  }

  /** Writes a roster; answers its path. Its hall keeps to a UNIX socket unless told otherwise. */
  roster(slots: Slots, values: JsonObject = {}, file = join(this.folder, "hall.yml")): string {
    const written = Object.entries(slots).map(([name, { ways, ...slot }]) => [
      name,
      ways === undefined ? slot : { command: agentCommand(ways), ...slot },
    ]);
    const roster = { listen: { tcp: false }, slots: Object.fromEntries(written), ...values };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(roster), { mode: 0o600 });
    return file;
  }

  /** The roster that a hall is started with when nobody names one. */
  ownRoster(slots: Slots, values: JsonObject = {}): string {
    return this.roster(slots, values, join(this.folder, "config", "hall", "hall.yml"));
  }

  /** Starts `hall` with these arguments. Nobody reads its stdout yet. */
  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
    return this.startProgram(process.execPath, [HALL, ...args], env);
  }

  startProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
    const running = new Running({ program, args, cwd: this.work, env: { ...this.env, ...env } });
    this.#started.push(running);
    return running;
  }

  /** Runs `hall` to its end; `stdin` is all that it gets to read. */
  run(args: readonly string[], { stdin = "", env = {} }: { stdin?: string; env?: NodeJS.ProcessEnv } = {}) {
    const running = this.start(args, env).read();
    running.child.stdin.end(stdin);
    return running.finished;
  }

  /** A hall of its own process that has opened its doors. */
  async serve(roster: string, ...args: string[]): Promise<Running> {
    const hall = this.start(["serve", "--config", roster, ...args]).read();
    await hall.says("The hall is open.");
    return hall;
  }

  /** A `hall acp`, with an editor at its pipes. */
  edit(...args: string[]): { acp: Running; editor: AcpClient } {
    const acp = this.start(["acp", ...args]);
    return { acp, editor: this.editorAt(acp) };
  }

  editorAt(acp: Running): AcpClient {
    const editor = acp.asEditor(this.work);
    this.#editors.push(editor);
    return editor;
  }

  async #close(): Promise<void> {
    for (const { child } of this.#started) child.kill("SIGKILL");
    await Promise.all(this.#started.map(({ finished }) => finished));
    // Halls that were started for editors are nobody's children, and may have come too late to be announced.
    await expect.poll(() => killAllWith(this.folder), { timeout: 15_000, interval: 20 }).toEqual([]);
    for (const { check } of this.#editors) check.expectNoViolations();
  }
}

/** One JSON document, and nothing else. */
export function documentOf({ stdout }: Finished): Record<string, unknown> {
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  return JSON.parse(stdout);
}

/** Kills the processes with this text in their command line; answers which there were. */
function killAllWith(text: string): number[] {
  const listing = execFileSync("ps", ["-axww", "-o", "pid=,command="], { encoding: "utf8" });
  const pids = listing
    .split("\n")
    .filter((line) => line.includes(text))
    .map((line) => Number.parseInt(line, 10));
  for (const pid of pids) process.kill(pid, "SIGKILL");
  return pids;
}

const hasInEnvironment = (pid: string, text: string): boolean => {
  try {
    return readFileSync(join("/proc", pid, "environ"), "utf8").includes(text);
  } catch {
    // It ended while we looked, or is somebody else's.
    return false;
  }
};

/** Processes that a household's halls have left: agents, and what these started. Linux shows them, others nothing. */
export const leftOf = (home: Household): string[] =>
  process.platform === "linux"
    ? readdirSync("/proc").filter(
        (pid) => /^\d+$/.test(pid) && hasInEnvironment(pid, `HOME=${home.folder}\0`),
      )
    : [];
