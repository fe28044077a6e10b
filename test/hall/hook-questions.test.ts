import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { converse } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import { HookClient, hookSockets } from "../doubles/hook-client.ts";
import type { JsonObject } from "../doubles/scripted-agent/ways.ts";
import type { HallOptions, TestHall } from "../doubles/start-hall.ts";

const RUN = { tool: "Bash", input: { command: "git push --force" } };

/** Of the process that serves the session: one that was started before it, to learn from, waits beside. */
const socketOf = (hall: TestHall): string => hookSockets(hall).at(-1) ?? "";

/** A session in which a turn runs until `finish`, and a hook of its agent's. */
async function running(options: Partial<HallOptions> & { slot?: JsonObject } = {}) {
  const conversation = await converse({}, options);
  const { client, sessionId, hall } = conversation;
  const { wait, reached, open } = gate();
  const turn = client.prompt(sessionId, [wait]);
  await reached();
  const socket = socketOf(hall);
  const hook = await HookClient.connect(socket);
  const finish = async (): Promise<void> => {
    open();
    await turn;
  };
  return { ...conversation, socket, hook, turn, finish };
}

const toolCalls = (client: AcpClient, sessionId: string): JsonObject[] =>
  client
    .updates(sessionId)
    .filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"))
    .map((update) => ({ ...update }));

describe("a question on the per-run socket", () => {
  it("comes to the client as a tool call and a question, and its answer goes back with who gave it", async () => {
    const { client, sessionId, hook, finish } = await running();
    const asked = hook.ask({ ...RUN, reason: "It wants out." });
    const question = await client.question();
    const { toolCallId } = question.params.toolCall;
    expect(question.params).toEqual({
      sessionId,
      toolCall: {
        toolCallId,
        title: "git push --force",
        name: "Bash",
        kind: "execute",
        status: "pending",
        rawInput: { command: "git push --force" },
      },
      options: [
        { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
        {
          optionId: "allow_always",
          name: "Allow for this session: execute(git push) or execute(git push *)",
          kind: "allow_always",
        },
        { optionId: "reject_once", name: "Reject", kind: "reject_once" },
      ],
    });
    question.select("allow_once");
    expect(await asked).toEqual({
      jsonrpc: "2.0",
      result: { decision: "allow", scope: "once", message: "test (client-1) allowed it." },
    });
    await finish();
    const content = [{ type: "content", content: { type: "text", text: "It wants out." } }];
    expect(toolCalls(client, sessionId)).toMatchObject([
      { sessionUpdate: "tool_call", toolCallId, status: "pending", content },
      { sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
    ]);
  });

  it("is asked where its agent's environment says, which what it starts has too", async () => {
    const { client, sessionId, hall } = await converse();
    await client.prompt(sessionId, [
      { terminal: { command: "sh", args: ["-c", "echo at $HALL_PERMISSION_SOCKET"] } },
    ]);
    expect(client.texts(sessionId)).toContain(`at ${socketOf(hall)}`);
  });

  it("that is refused says so, and its tool call has failed", async () => {
    const { client, sessionId, hook, finish } = await running();
    const asked = hook.ask(RUN);
    (await client.question()).select("reject_once");
    const { result } = await asked;
    expect(result).toMatchObject({ decision: "deny", scope: "once" });
    expect(result?.message).toMatch(/^test \(client-1\) refused it\./);
    await finish();
    expect(toolCalls(client, sessionId).at(-1)).toMatchObject({ status: "failed" });
  });

  it("about a call that the agent has told of gets no second one", async () => {
    const { client, sessionId, hall } = await converse();
    const { wait, reached, open } = gate();
    const turn = client.prompt(sessionId, [{ tool: { id: "t1", title: "Push", kind: "execute" } }, wait]);
    await reached();
    const hook = await HookClient.connect(socketOf(hall));
    const asked = hook.ask({ ...RUN, toolCallId: "t1" });
    const question = await client.question();
    expect(question.params.toolCall.toolCallId).toBe("t1");
    question.select("allow_once");
    await asked;
    open();
    await turn;
    const ids = new Set(toolCalls(client, sessionId).map(({ toolCallId }) => toolCallId));
    expect([...ids]).toEqual(["t1"]);
  });

  it("several at once each get their own answer", async () => {
    const { client, hook, socket, finish } = await running();
    const other = await HookClient.connect(socket);
    const asked = [hook.ask({ tool: "A" }), other.ask({ tool: "B" }), hook.ask({ tool: "C" })];
    const questions = [await client.question(), await client.question(), await client.question()];
    for (const { params, select } of questions.reverse())
      select(params.toolCall.name === "B" ? "reject_once" : "allow_once");
    const answers = await Promise.all(asked);
    expect(answers.map(({ result }) => result?.decision)).toEqual(["allow", "deny", "allow"]);
    await finish();
  });

  it("allowed for the session becomes a rule of it, which holds after a restart, and can be taken away", async () => {
    const { client, sessionId, hook, finish, hall } = await running();
    const first = hook.ask(RUN);
    (await client.question()).select("allow_always");
    expect((await first).result).toMatchObject({ decision: "allow", scope: "session" });
    const second = await hook.ask({ tool: "Bash", input: { command: "git push origin" } });
    expect(second.result).toEqual({
      decision: "allow",
      scope: "once",
      message: "allow: execute(git push) or execute(git push *) allows it.",
    });
    const compound = hook.ask({ tool: "Bash", input: { command: "git push; rm x" } });
    const question = await client.question();
    expect(question.params.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    question.select("reject_once");
    expect((await compound).result?.decision).toBe("deny");
    await finish();
    await hall.restart("stop");
    const back = await hall.connect();
    await back.initialize();
    await back.load(sessionId);
    const { wait, reached, open } = gate();
    const turn = back.prompt(sessionId, [wait]);
    await reached();
    const again = await HookClient.connect(socketOf(hall));
    expect((await again.ask(RUN)).result?.decision).toBe("allow");
    hall.service.hall.sessions.get(sessionId).permissions.removeRule(1);
    const asked = again.ask(RUN);
    (await back.question()).select("reject_once");
    expect((await asked).result?.decision).toBe("deny");
    open();
    await turn;
  });

  it("is decided by the slot's rules before anybody is asked", async () => {
    const rules = [{ deny: "execute(rm *)" }, { allow: "Read" }];
    const { client, hook, finish } = await running({ slot: { permission: { rules } } });
    expect((await hook.ask({ tool: "Bash", input: { command: "ls; rm x" } })).result).toEqual({
      decision: "deny",
      scope: "once",
      message: "deny: execute(rm *) denies rm x.",
    });
    expect((await hook.ask({ tool: "Read", input: { file_path: "/a" } })).result?.decision).toBe("allow");
    expect(client.messages.filter(({ method }) => method === "session/request_permission")).toEqual([]);
    await finish();
  });
});

describe("a question of a hook in a process that serves several sessions", () => {
  /** Two sessions of one process, and what lets a turn run in one of them until it is let go. */
  async function shared() {
    const { hall, client, sessionId } = await converse({}, { slot: { isolation: "slot" } });
    const other = (await client.newSession()).sessionId;
    const begin = async (id: string): Promise<() => Promise<void>> => {
      const { wait, reached, open } = gate();
      const turn = client.prompt(id, [wait]);
      await reached();
      return async () => {
        open();
        await turn;
      };
    };
    const hook = await HookClient.connect(socketOf(hall));
    return { hall, client, sessionId, other, begin, hook };
  }

  /** What the agent calls a session of ours. */
  const nameOf = (hall: TestHall, sessionId: string): string => {
    const record = readFileSync(join(hall.state, "sessions", sessionId, "session.jsonl"), "utf8");
    return /"agentSession":"([^"]+)"/.exec(record)?.[1] ?? "";
  };

  it("goes to the session that it names, or to the only one in which something runs", async () => {
    const { hall, client, sessionId, other, begin, hook } = await shared();
    const finish = await begin(other);
    const unnamed = hook.ask(RUN);
    const first = await client.question();
    expect(first.params.sessionId).toBe(other);
    first.select("allow_once");
    expect(await unnamed).toMatchObject({ result: { decision: "allow" } });
    const finishToo = await begin(sessionId);
    const named = hook.ask({ ...RUN, session: nameOf(hall, sessionId) });
    const second = await client.question();
    expect(second.params.sessionId).toBe(sessionId);
    second.select("reject_once");
    expect(await named).toMatchObject({ result: { decision: "deny" } });
    await Promise.all([finish(), finishToo()]);
  });

  it("is refused when it is not known which of them it is about", async () => {
    const { sessionId, other, begin, hook } = await shared();
    const ends = [await begin(sessionId), await begin(other)];
    for (const asked of [RUN, { ...RUN, session: "somebody else" }])
      expect(await hook.ask(asked)).toMatchObject({
        result: { decision: "deny", message: expect.stringContaining("not known which session") },
      });
    for (const end of ends) await end();
  });
});

describe("a question on the per-run socket is refused", () => {
  it("when no turn runs, and when the turn is being cancelled", async () => {
    const { client, sessionId, hook, turn } = await running();
    const asked = hook.ask(RUN);
    await client.question();
    client.cancel(sessionId);
    expect((await asked).result).toMatchObject({ decision: "deny", message: /taken back/ });
    await turn;
    expect((await hook.ask(RUN)).result).toMatchObject({ decision: "deny", message: /No turn runs/ });
  });

  it("while the agent does not stop after a cancel", async () => {
    const { client, sessionId, hall } = await converse({ ignoreCancel: true });
    const { wait, reached, open } = gate();
    const turn = client.prompt(sessionId, [wait]);
    await reached();
    client.cancel(sessionId);
    await client.saidMeanwhile();
    const hook = await HookClient.connect(socketOf(hall));
    expect((await hook.ask(RUN)).result).toMatchObject({ decision: "deny", message: /No turn runs/ });
    open();
    await turn;
  });

  it("when nobody answers in time, and then it says whether anybody was there", async () => {
    const clock = new HandClock();
    const { client, sessionId, hook, hall, finish } = await running({ clock });
    const asked = hook.ask(RUN);
    await client.question();
    clock.advance(120_000);
    expect((await asked).result).toMatchObject({ decision: "deny", message: /^Nobody answered in time/ });
    await client.close();
    const unattended = hook.ask({ ...RUN, timeout: 30 });
    await eventually(() => [...hall.service.hall.desk.waiting(sessionId)].length).toBe(1);
    clock.advance(30_000);
    expect((await unattended).result).toMatchObject({
      decision: "deny",
      message: /^Nobody was there to answer/,
    });
    await finish().catch(() => {});
  });

  it("when more than 16 are open on one socket", async () => {
    const { hook, finish, hall, sessionId } = await running();
    for (let count = 0; count < 16; count++) void hook.ask({ tool: "Task" });
    await eventually(() => [...hall.service.hall.desk.waiting(sessionId)].length).toBe(16);
    expect((await hook.ask(RUN)).result).toMatchObject({ decision: "deny", message: /16 questions/ });
    await finish();
  });

  it("when it is nonsense, with an error that says what is wrong", async () => {
    const { hook, finish } = await running();
    for (const params of [{ input: {} }, { tool: 5 }, { tool: "" }])
      expect((await hook.ask(params)).error?.code).toBe(-32602);
    expect((await hook.ask({}, "permission/allow")).error?.code).toBe(-32601);
    expect((await hook.raw("no JSON\n")).error?.code).toBe(-32700);
    await finish();
  });

  it("when whoever asked is gone: then it is taken back, and nobody's yes counts", async () => {
    const { client, hook, finish, hall, sessionId } = await running();
    void hook.ask(RUN);
    const question = await client.question();
    hook.end();
    await client.sees(({ method }) => method === "$/cancel_request");
    question.select("allow_once");
    await hook.closed;
    expect([...hall.service.hall.desk.waiting(sessionId)]).toEqual([]);
    await finish();
  });

  it("when its process is over: the socket is gone, and was the hall's user's alone", async () => {
    const { hook, socket, client, sessionId, hall } = await running();
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    void hook.ask(RUN);
    await client.question();
    await client.deleteSession(sessionId);
    await hook.closed;
    await eventually(() => hookSockets(hall)).not.toContain(socket);
  });
});
