import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AdaptedAgent } from "../../../src/agents/adapters/adapted-agent.ts";
import type { Adapter } from "../../../src/agents/adapters/adapter.ts";
import { MemoryNumbers } from "../../../src/agents/adapters/memory-numbers.ts";
import { Runner, type RunnerParts } from "../../../src/agents/adapters/runner.ts";
import { spawnAgent } from "../../../src/agents/spawn.ts";
import { systemTable } from "../../../src/agents/system-table.ts";
import { HandClock, systemClock } from "../../../src/ground/clock.ts";
import { memoryPair } from "../../../src/wire/memory.ts";
import { AcpClient } from "../../doubles/acp-client.ts";
import { temporaryFolder } from "../../doubles/temporary-folder.ts";
import { SETTINGS } from "./rehearsal.ts";

/** Lets each line of a Node script's stdout be a step, as JSON; requests are answered by nobody unless it says so. */
const scripted = (script: string, changes: Partial<Adapter<object>> = {}): Adapter<object> => ({
  name: "scripted",
  title: "The program",
  init: () => ({}),
  program: () => process.execPath,
  command: () => ({ program: process.execPath, args: ["-e", script] }),
  fromAcp: (sent) =>
    sent.kind === "request" && sent.method === "session/new" ? [{ reply: sent.id, result: {} }] : [],
  fromNative: (line) => [JSON.parse(line)],
  ...changes,
});

const SAYS_READY = `console.log(${JSON.stringify(JSON.stringify({ update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "ready" } } }))});`;
const STAYS = `process.on('SIGINT', () => {}); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); ${SAYS_READY}`;

interface Running {
  client: AcpClient;
  runner: Runner;
  clock: HandClock;
  noticed: string[];
}

function run(adapter: Adapter<unknown>, changes: Partial<RunnerParts> = {}): Running {
  const [near, far] = memoryPair();
  const clock = new HandClock();
  const noticed: string[] = [];
  const parts = { clock: systemClock, table: systemTable(), ledger: new MemoryNumbers() };
  const folder = temporaryFolder();
  const runner = new Runner(far, {
    adapter,
    settings: SETTINGS,
    clock,
    lineLimit: 1000,
    openWithin: 60_000,
    cancelGrace: 5000,
    spawn: ({ program, args }, cwd) =>
      spawnAgent(
        { slot: "test", program, args, env: { PATH: process.env.PATH ?? "" }, cwd, cwdFrom: "the client" },
        parts,
      ),
    noticed: (what) => noticed.push(what),
    ...changes,
  });
  onTestFinished(() => runner.stop("kill"));
  runner.start();
  return { client: new AcpClient(near, folder), runner, clock, noticed };
}

describe("a runner", () => {
  it("ends a turn whose program heeds no cancel: SIGINT, SIGTERM, SIGKILL, each after its time", async () => {
    const { client, clock, runner } = run(scripted(STAYS));
    const sessionId = await client.begin();
    const turn = client.prompt(sessionId, "go");
    await client.hears("ready");
    client.cancel(sessionId);
    await new Promise(setImmediate);
    const [child] = runner.children;
    for (const step of ["SIGINT", "SIGTERM"]) {
      clock.advance(5000);
      expect(child?.exit, step).toBeUndefined();
    }
    clock.advance(5000);
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(child?.exit).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("gives up a session that does not open in its time", async () => {
    const { client, clock, runner } = run(scripted(STAYS, { fromAcp: () => [] }));
    await client.initialize();
    const opened = client.newSession();
    await vi.waitUntil(() => runner.children.length === 1);
    clock.advance(60_000);
    await expect(opened).rejects.toMatchObject({ code: -32603, data: { kind: "init_timeout" } });
    expect(runner.children).toEqual([]);
  });

  it("takes a line over the limit for the end of the program, and answers what waits", async () => {
    const { client } = run(
      scripted("process.stdin.once('data', () => console.log('x'.repeat(2000)));", {
        fromAcp: (sent) => {
          if (sent.kind !== "request") return [];
          return sent.method === "session/new" ? [{ reply: sent.id, result: {} }] : [{ write: "go" }];
        },
      }),
    );
    const sessionId = await client.begin();
    await expect(client.prompt(sessionId, "go")).rejects.toMatchObject({ data: { kind: "agent_protocol" } });
  });

  it("outlives an adapter's defect, and answers the request that met it", async () => {
    const adapter = scripted(STAYS, {
      fromAcp(sent) {
        if (sent.kind === "request" && sent.method === "session/prompt") throw new Error("a defect");
        return sent.kind === "request" ? [{ reply: sent.id, result: {} }] : [];
      },
    });
    const { client, noticed } = run(adapter);
    const sessionId = await client.begin();
    await expect(client.prompt(sessionId, "go")).rejects.toMatchObject({ code: -32603 });
    expect(noticed).toEqual(["the adapter met a defect"]);
    await client.closeSession(sessionId);
  });

  it("answers each request when the program ends, with how it ended", async () => {
    const { client } = run(
      scripted("process.stdin.once('data', () => { console.error('out of luck'); process.exit(4); })", {
        fromAcp: (sent) => {
          if (sent.kind !== "request") return [];
          return sent.method === "session/new" ? [{ reply: sent.id, result: {} }] : [{ write: "go" }];
        },
      }),
    );
    const sessionId = await client.begin();
    const [prompt, waiting, mode] = [
      client.prompt(sessionId, "1"),
      client.prompt(sessionId, "2"),
      client.setMode(sessionId, "m"),
    ];
    for (const asked of [prompt, waiting, mode]) {
      await expect(asked).rejects.toMatchObject({
        message: "The program ended with exit code 4. Its last words: out of luck",
        data: { kind: "agent_exited", exitCode: 4, stderr: ["out of luck"] },
      });
    }
  });

  it("sends nothing of a new session before the answer that names it, and everything behind it", async () => {
    const early = {
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "early" } },
    };
    const named = { reply: 0, result: { sessionId: "named-by-the-program" } };
    const script = `console.log(${JSON.stringify(JSON.stringify(early))}); process.stdin.once('data', (id) => console.log(JSON.stringify({ ...${JSON.stringify(named)}, reply: Number(id) }))); setInterval(() => {}, 1000);`;
    const { client } = run(
      scripted(script, {
        fromAcp: (sent) => (sent.kind === "request" ? [{ write: String(sent.id) }] : []),
      }),
    );
    await client.initialize();
    const { sessionId } = await client.newSession();
    expect(sessionId).toBe("named-by-the-program");
    await client.hears("early");
    expect(client.messages.findIndex(({ method }) => method === "session/update")).toBe(2);
  });
});

describe("an adapted agent", () => {
  it("ends with the program that its session lives by, and what that started", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "there");
    const parts = { clock: systemClock, table: systemTable(), ledger: new MemoryNumbers() };
    const agent = new AdaptedAgent({
      adapter: scripted(
        `require("node:fs").writeFileSync(${JSON.stringify(file)}, ""); setTimeout(() => process.exit(3), 50);`,
      ),
      settings: SETTINGS,
      clock: systemClock,
      lineLimit: 1000,
      openWithin: 60_000,
      cancelGrace: 0,
      spawn: ({ program, args }, cwd) =>
        spawnAgent(
          { slot: "test", program, args, env: { PATH: process.env.PATH ?? "" }, cwd, cwdFrom: "the client" },
          parts,
        ),
      noticed: () => {},
    });
    onTestFinished(() => agent.kill());
    expect([agent.pid, agent.mark, agent.exit]).toEqual([undefined, undefined, undefined]);
    const client = new AcpClient(agent.transport, folder);
    const sessionId = await client.begin();
    expect(agent.mark).toMatch(/\.1$/);
    const turn = client.prompt(sessionId, "go").catch((error: Error) => error.message);
    const exit = await new Promise((resolve) => agent.onExit(resolve));
    expect(exit).toEqual({ code: 3, signal: null });
    expect(existsSync(file)).toBe(true);
    // Whoever holds it says how it ended; it answers nothing itself.
    expect(await turn).toContain("was not answered");
  });
});
