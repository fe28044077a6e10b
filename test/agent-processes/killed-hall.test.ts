import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Ledger } from "../../src/agents/ledger.ts";
import { endOrphans } from "../../src/agents/orphans.ts";
import { systemClock } from "../../src/ground/clock.ts";
import { realDisk } from "../../src/ground/disk.ts";
import { compiled } from "../doubles/compiled.ts";
import { kill, markedWith, runs, Workshop } from "./workshop.ts";

const SOURCES = resolve(import.meta.dirname, "..", "..", "src");
const source = (file: string): string => JSON.stringify(join(SOURCES, file));

/** An agent that nothing but SIGKILL ends, with a command in a session of its own. */
const AGENT = `
  trap '' INT TERM
  setsid sh -c 'trap "" TERM; echo tool=$$ >&2; while :; do sleep 0.05; done' &
  echo agent=$$ >&2
  while :; do sleep 0.05; done`;

/** What holds agents in a hall, and nothing else of it. */
const hall = (state: string, id: string): string => `
  import { Ledger } from ${source("agents/ledger.ts")};
  import { spawnAgent } from ${source("agents/spawn.ts")};
  import { systemTable } from ${source("agents/system-table.ts")};
  import { systemClock } from ${source("ground/clock.ts")};
  import { realDisk } from ${source("ground/disk.ts")};
  const ledger = new Ledger(realDisk, ${JSON.stringify(state)}, ${JSON.stringify(id)});
  spawnAgent(
    { slot: "bench", program: "/bin/sh", args: ["-c", ${JSON.stringify(AGENT)}], env: { PATH: process.env.PATH }, cwd: "/" },
    { clock: systemClock, ledger, table: systemTable(), onStderr: (line) => console.log(line) },
  );`;

describe("a hall that is killed", () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.close());

  it("leaves agents that its next start ends, and nobody else's", async () => {
    const state = join(workshop.folder, "state");
    const program = await compiled(hall(state, workshop.state), workshop.folder);
    const owner = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    const number = (word: string): number => Number(new RegExp(`^${word}=(\\d+)$`, "m").exec(said)?.[1] ?? 0);
    for await (const bytes of owner.stdout) {
      said += String(bytes);
      if (number("agent") && number("tool")) break;
    }
    const [agent, tool] = [number("agent"), number("tool")];
    const stranger = spawn("sleep", ["600"], { detached: true });

    owner.kill("SIGKILL");
    await once(owner, "exit");
    expect([agent, tool].map(runs)).toEqual([true, true]);

    const ledger = new Ledger(realDisk, state, workshop.state);
    expect(ledger.orphans).toMatchObject([{ number: 1, slot: "bench", process: { pid: agent } }]);
    const ended = await endOrphans(ledger, { clock: systemClock, table: workshop.table });
    expect(ended.pids).toEqual(expect.arrayContaining([agent, tool]));
    expect(ended.left).toEqual([]);
    expect(markedWith(workshop.state)).toEqual([]);
    expect(runs(stranger.pid ?? 0)).toBe(true);
    expect(ledger.begin("bench")).toBe(2);
    ledger.close();
    kill(stranger.pid ?? 0);
    await once(stranger, "exit");
  });
});
