import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { Ledger } from "../../src/agents/ledger.ts";
import type { AgentProcess, ProcessParts } from "../../src/agents/process.ts";
import type { ProcessTable } from "../../src/agents/process-table.ts";
import { type AgentLaunch, spawnAgent } from "../../src/agents/spawn.ts";
import { systemTable } from "../../src/agents/system-table.ts";
import { type Clock, systemClock } from "../../src/ground/clock.ts";
import { realDisk } from "../../src/ground/disk.ts";
import type { Receiver } from "../../src/wire/transport.ts";
import { markOfNow } from "../leftovers/mark.ts";

/** A folder, a state id, and real processes started with it; `close` sees that none of them is left. */
export class Workshop {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "hall-agents-")));
  readonly state = randomBytes(6).toString("hex");
  readonly table: ProcessTable;
  readonly ledger: Ledger;
  readonly stderr: string[] = [];
  readonly troubles: string[] = [];

  constructor(table: ProcessTable = systemTable()) {
    this.table = table;
    const state = join(this.folder, "state");
    mkdirSync(state);
    this.ledger = new Ledger(realDisk, state, this.state);
  }

  parts(clock: Clock = systemClock): ProcessParts {
    return {
      clock,
      ledger: this.ledger,
      table: this.table,
      onStderr: (line) => this.stderr.push(line),
      onTrouble: (sentence) => this.troubles.push(sentence),
    };
  }

  ledgerText(): string {
    return readFileSync(join(this.folder, "state", "processes.jsonl"), "utf8");
  }

  /** Writes a file that can be run. */
  script(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  }

  /** Starts an agent process; what the launch does not say is of this workshop. */
  spawn(launch: Partial<AgentLaunch> & { program: string }, clock?: Clock): AgentProcess {
    const env = { PATH: process.env.PATH ?? "", ...markOfNow() };
    const ours = { slot: "bench", args: [], cwd: this.folder, cwdFrom: "the roster", env } as const;
    return spawnAgent({ ...ours, ...launch }, this.parts(clock));
  }

  /** A shell that runs `script`, and who listens to it. */
  shell(script: string, clock?: Clock): { agent: AgentProcess; ear: Ear } {
    const agent = this.spawn({ program: "/bin/sh", args: ["-c", script] }, clock);
    return { agent, ear: new Ear(agent) };
  }

  /** A Node that runs `script`, and who listens to it. */
  node(script: string, clock?: Clock): { agent: AgentProcess; ear: Ear } {
    const agent = this.spawn({ program: process.execPath, args: ["-e", script] }, clock);
    return { agent, ear: new Ear(agent) };
  }

  /** The end of a test: nothing that carries a mark of this workshop may be left. */
  async close(): Promise<void> {
    const left = markedWith(this.state);
    for (const pid of left) kill(pid);
    this.ledger.close();
    rmSync(this.folder, { recursive: true, force: true });
    expect(left).toEqual([]);
  }
}

/** What an agent process says on stdout. */
export class Ear implements Receiver {
  text = "";
  bytes = 0;
  over = false;
  #waiting: (() => void)[] = [];

  constructor(agent: AgentProcess) {
    agent.transport.start(this);
  }

  chunk(bytes: Buffer): void {
    this.bytes += bytes.length;
    this.text = (this.text + bytes.toString("utf8")).slice(-100_000);
    const rings = this.#waiting;
    this.#waiting = [];
    for (const ring of rings) ring();
  }

  ended(): void {
    this.over = true;
  }

  closed(): void {}

  /** Resolves when it has said the word. */
  async hears(word: string): Promise<void> {
    while (!this.text.includes(word)) await this.#more();
  }

  /** The number that it said on a line of its own after the word, as in `tool=123`. */
  async hearsNumber(word: string): Promise<number> {
    const line = new RegExp(`^${word}=(\\d+)\n`, "m");
    for (;;) {
      const [, number] = line.exec(this.text) ?? [];
      if (number !== undefined) return Number(number);
      await this.#more();
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

/** Resolves with how the child ended, when all that it wrote has been delivered. */
export const exitOf = (agent: AgentProcess): Promise<{ code: number | null; signal: string | null }> =>
  new Promise((resolve) => {
    agent.onExit(resolve);
  });

/** Living processes that carry a mark of this state, read without any of the code under test. */
export function markedWith(state: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        return words.some((word) => word.startsWith(`HALL_PROCESS=${state}.`)) && runs(Number(pid));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Whether a process runs; one that ended and was not reaped does not. */
export function runs(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Ends a process that the code under test must not have ended. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone, as it should be.
  }
}
