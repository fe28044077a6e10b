import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock, systemClock } from "../../src/ground/clock.ts";
import { Crashes } from "../../src/hall/crashes.ts";
import { converse, hallWith } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const MINUTE = 60_000;

/** Crashes one after another, each of a process that was started after the one before. */
function crash(crashes: Crashes, times: number): void {
  for (let n = 0; n < times; n += 1) crashes.add("Its last words: no.", crashes.ever);
}

describe("the crashes of an agent", () => {
  it("hold up the next start: not after the first, then a second, and twice as long each time", () => {
    const crashes = new Crashes(new HandClock());
    const pauses = [1, 2, 3, 4].map(() => {
      crash(crashes, 1);
      return crashes.pause;
    });
    expect(pauses).toEqual([0, 1000, 2000, 4000]);
    expect(crashes.loop).toBeUndefined();
  });

  it("are a loop when there were five in five minutes; five minutes later a start is let through", () => {
    const clock = new HandClock();
    const crashes = new Crashes(clock);
    crash(crashes, 5);
    expect(crashes.loop).toEqual({ crashes: 5, last: "Its last words: no.", triedAgainIn: 5 * MINUTE });
    clock.advance(5 * MINUTE);
    expect([crashes.loop, crashes.pause]).toEqual([undefined, 0]);
    crash(crashes, 1);
    expect(crashes.loop).toMatchObject({ triedAgainIn: 5 * MINUTE });
  });

  it("are none when they lie far apart, or when a prompt was answered between them", () => {
    const clock = new HandClock();
    const crashes = new Crashes(clock);
    for (let n = 0; n < 10; n += 1) {
      crash(crashes, 1);
      clock.advance(2 * MINUTE);
    }
    expect(crashes.loop).toBeUndefined();
    for (let n = 0; n < 10; n += 1) {
      crash(crashes, 2);
      crashes.clear();
    }
    expect([crashes.loop, crashes.pause]).toEqual([undefined, 0]);
  });

  it("count once for all that ran side by side", () => {
    const crashes = new Crashes(new HandClock());
    const seen = crashes.ever;
    for (let n = 0; n < 20; n += 1) crashes.add("Killed.", seen);
    expect([crashes.loop, crashes.pause]).toEqual([undefined, 0]);
  });
});

describe("an agent that crashes at each start", () => {
  it("is started five times, with pauses; then its slot has failed, and says why and what to do", async () => {
    const clock = new HandClock();
    const hall = await hallWith({ exitAtStart: { code: 3, stderr: "no key\n" } }, { clock });
    const client = await hall.connect();
    await client.initialize({ _meta: { "hall/control": true } });
    const failures: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      const asked = client.newSession().catch((error: unknown) => failures.push(error));
      await client.saidMeanwhile();
      clock.advance(10_000);
      await asked;
      await eventually(() => hall.service.hall.places.taken).toBe(0);
    }
    expect(failures.slice(0, 5)).toEqual(
      Array(5).fill(expect.objectContaining({ data: expect.objectContaining({ kind: "agent_exited" }) })),
    );
    expect(failures[5]).toMatchObject({
      message: expect.stringMatching(
        /^Slot scripted has failed\. .*5 times.*call hall reload.*5 min.*no key/,
      ),
      data: { kind: "slot_failed", slot: "scripted" },
    });
    expect(hall.log.join("\n")).toContain("nothing is started for now");
    expect(hall.service.hall.slots.choose(undefined).failed).toContain("no key");
  });

  it("runs again when it is mended: after a while by itself, or at once when somebody says so", async () => {
    const clock = new HandClock();
    const mended = join(temporaryFolder(), "mended");
    const script = `require("fs").existsSync(${JSON.stringify(mended)}) || process.exit(3); setInterval(() => {}, 1e6);
      process.stdin.on("end", () => process.exit(0)).resume()`;
    const hall = await hallWith(
      {},
      { clock, slot: { command: [process.execPath, "-e", script], ways: undefined } },
    );
    const slot = hall.service.hall.slots.choose(undefined);
    const start = async (): Promise<unknown> => {
      const login = slot.forLogin().catch((error: unknown) => error);
      await eventually(() => clock.pending > 0 || slot.failed !== undefined).toBe(true);
      clock.advance(9_000);
      return login;
    };
    for (let n = 0; n < 5; n += 1) {
      await start();
      await eventually(() => hall.service.hall.places.taken).toBe(0);
    }
    expect(slot.failed).toContain("5 times");
    writeFileSync(mended, "");
    expect(await start()).toMatchObject({ data: { kind: "slot_failed" } });
    expect(existsSync(mended)).toBe(true);
    slot.forgetCrashes();
    expect(slot.failed).toBeUndefined();
    const started = slot.forLogin().catch((error: unknown) => error);
    await eventually(() => slot.agents.size).toBe(1);
    for (const agent of slot.agents) await agent.process.stop();
    await started;
  });
});

describe("an agent that crashes in a turn", () => {
  it("ends that turn within a second, though what it started goes on; its question is withdrawn; the next prompt restores it", async () => {
    const stateFile = join(temporaryFolder(), "agent-state");
    const { hall, client, sessionId } = await converse({ stateFile });
    const { sessionId: other } = await client.newSession();
    const busy = gate();
    const otherTurn = client.prompt(other, [busy.wait, { say: "undisturbed" }]);
    await busy.reached();
    await client.prompt(sessionId, "remember me");
    const { wait, open } = gate();
    const turn = client.prompt(sessionId, [
      { spawn: { setsid: true, ignoreSignals: true, holdStdout: true } },
      { tool: { id: "open", title: "Half done" } },
      { together: [{ ask: { tool: { id: "t" } } }, [wait, { kill: "SIGSEGV" }]] },
    ]);
    const { id } = await client.question();
    const since = client.received.length;
    const killedAt = systemClock.monotonic();
    open();
    await expect(turn).rejects.toMatchObject({ data: { kind: "agent_exited", signal: "SIGSEGV" } });
    expect(systemClock.monotonic() - killedAt).toBeLessThan(1_000);
    expect(client.messages.slice(since)).toContainEqual(
      expect.objectContaining({ method: "$/cancel_request", params: { requestId: id } }),
    );
    expect(client.updates(sessionId, since)).toContainEqual(
      expect.objectContaining({ sessionUpdate: "tool_call_update", toolCallId: "open", status: "failed" }),
    );
    await client.prompt(sessionId, [{ tell: "memory" }]);
    expect(client.texts(sessionId, since)).toMatch(/^memory: remember me \|/);
    busy.open();
    expect(await otherTurn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(other)).toBe("undisturbed");
    expect(hall.service.hall.slots.choose(undefined).failed).toBeUndefined();
  });

  it("lets the prompts that wait run, each in what is started for it", async () => {
    const { client, sessionId } = await converse();
    const { wait, open } = gate();
    const crash = client.prompt(sessionId, [wait, { exit: 1 }]);
    const waiting = client.prompt(sessionId, "after");
    open();
    await expect(crash).rejects.toMatchObject({ data: { kind: "agent_exited", exitCode: 1 } });
    expect(await waiting).toMatchObject({ stopReason: "end_turn" });
  });

  it("also when it only closed a pipe: its turn ends, and the next one runs in a new process", async () => {
    const { client, sessionId } = await converse({ ignoreEof: true });
    const closed = client.prompt(sessionId, [{ close: "stdout" }, { wait: "forever" }]);
    await expect(closed).rejects.toMatchObject({
      message: expect.stringContaining("closed its stdout"),
      data: { kind: "agent_exited" },
    });
    expect(await client.prompt(sessionId, [{ say: "again" }, { close: "stdin" }])).toMatchObject({
      stopReason: "end_turn",
    });
    await expect(client.prompt(sessionId, "do you hear me?")).rejects.toMatchObject({
      message: expect.stringContaining("closed its stdin"),
      data: { kind: "agent_exited" },
    });
    expect(await client.prompt(sessionId, "and now?")).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("an agent that crashes between turns", () => {
  it("is started again and restored by the next prompt, and nobody is told before", async () => {
    const stateFile = join(temporaryFolder(), "agent-state");
    // The first session has the process that was started to learn what the agent can do.
    const { hall, client, sessionId } = await converse({ stateFile }, { slot: { cwd: "work" } });
    await client.prompt(sessionId, "remember me");
    const since = client.received.length;
    process.kill(hall.agents().at(-1)?.pid ?? 0, "SIGKILL");
    await eventually(() => hall.service.hall.places.taken).toBe(0);
    expect(await client.saidMeanwhile()).toEqual([]);
    await client.prompt(sessionId, [{ tell: "memory" }]);
    expect(client.texts(sessionId, since)).toMatch(/^memory: remember me \|/);
  });
});
