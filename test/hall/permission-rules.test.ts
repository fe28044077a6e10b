import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { converse } from "../doubles/conversation.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import type { JsonObject } from "../doubles/scripted-agent/ways.ts";

const asks = (id: string, tool: JsonObject, ...kinds: string[]): Step => ({
  ask: {
    tool: { id, ...tool },
    options: (kinds.length > 0 ? kinds : ["allow_always", "allow_once", "reject_once"]).map((kind) => ({
      optionId: kind,
      name: kind,
      kind,
    })),
  },
  as: id,
});
const runs = (command: string) => ({ kind: "execute", title: command, rawInput: { command } });
const questions = ({ messages }: { messages: { method?: unknown }[] }) =>
  messages.filter(({ method }) => method === "session/request_permission");

describe("rules of permission", () => {
  it("decide an agent's questions before anybody is asked, with the options that it offered", async () => {
    const rules = [
      { deny: "execute(rm *)" },
      { allow: "execute(git *)" },
      { ask: "execute" },
      { allow: "read" },
    ];
    const { client, sessionId } = await converse({}, { slot: { permission: { rules } } });
    const turn = client.prompt(sessionId, [
      asks("a", runs("git log && git status")),
      asks("b", runs("git log; rm -rf x")),
      asks("c", { kind: "read", rawInput: { path: "/x" } }),
      // Told before, and left out of the question.
      { tool: { id: "d", ...runs("rm x") } },
      asks("d", {}),
      asks("e", runs("rm x"), "allow_once", "reject_always"),
      asks("f", runs("git log"), "allow_always", "reject_once"),
    ]);
    const question = await client.question();
    expect(question.params.toolCall.toolCallId).toBe("f");
    question.select("reject_once");
    await turn;
    expect(client.texts(sessionId)).toBe(
      [
        "a: selected allow_once",
        "b: selected reject_once",
        "c: selected allow_once",
        "d: selected reject_once",
        "e: cancelled",
        "f: selected reject_once",
      ].join(""),
    );
    expect(questions(client)).toHaveLength(1);
  });

  it("leave the agent's own allow_always to the agent: it is no rule of the hall's", async () => {
    const { client, sessionId, hall } = await converse();
    const turn = client.prompt(sessionId, [asks("a", runs("git log")), asks("b", runs("git log"))]);
    (await client.question()).select("allow_always");
    (await client.question()).select("reject_once");
    await turn;
    expect(client.texts(sessionId)).toBe("a: selected allow_alwaysb: selected reject_once");
    expect(hall.service.hall.sessions.get(sessionId).files.memory.rules.size).toBe(0);
  });

  it("that deny hold for files and commands through the hall, too", async () => {
    const rules = [{ deny: "edit(*.env)" }, { deny: "execute(rm *)" }];
    const { client, sessionId, hall } = await converse({}, { slot: { permission: { rules } } });
    const env = join(hall.work, ".env");
    writeFileSync(env, "before");
    await client.prompt(sessionId, [
      { write: { path: env, content: "after" } },
      { write: { path: join(hall.work, "other"), content: "written" } },
      { terminal: { command: "rm", args: ["-f", env] } },
      { terminal: { command: "sh", args: ["-c", `rm -f ${env}`] } },
      { terminal: { command: "echo", args: ["fine"] } },
    ]);
    expect(readFileSync(env, "utf8")).toBe("before");
    expect(readFileSync(join(hall.work, "other"), "utf8")).toBe("written");
    const said = client.texts(sessionId);
    expect(said).toContain(`wrote: error -32000 deny: edit(*.env) denies ${env}.`);
    expect(said).toContain("terminal: error -32000 deny: execute(rm *) denies rm -f");
    expect(said).toContain("fine");
  });

  it("and what became of each question stand in the record and in the events, with how long it took", async () => {
    const clock = new HandClock();
    const rules = [{ deny: "execute(rm *)" }];
    const { client, sessionId, hall } = await converse({}, { clock, slot: { permission: { rules } } });
    const events: unknown[] = [];
    hall.service.hall.events.watch((type, payload) => {
      if (type.startsWith("question.")) events.push({ type, ...payload });
    });
    const turn = client.prompt(
      sessionId,
      [asks("a", runs("rm x")), asks("b", runs("ls")), asks("c", runs("ls"))],
      {
        "hall/turn": "one",
      },
    );
    const question = await client.question();
    clock.advance(1_500);
    question.select("allow_once");
    await client.question();
    clock.advance(120_000);
    await turn;
    const ids = { sessionId, turn: "one" };
    expect(events).toEqual([
      { type: "question.asked", question: "q1", ...ids },
      {
        type: "question.answered",
        sessionId,
        question: "q1",
        allowed: false,
        by: "rule",
        rule: "deny: execute(rm *)",
        latencyMs: 0,
      },
      { type: "question.asked", question: "q2", ...ids },
      {
        type: "question.answered",
        sessionId,
        question: "q2",
        allowed: true,
        by: "test (client-1)",
        latencyMs: 1_500,
      },
      { type: "question.asked", question: "q3", ...ids },
      { type: "question.expired", sessionId, question: "q3", how: "expired", latencyMs: 120_000 },
    ]);
    const entries = [...hall.service.hall.sessions.get(sessionId).files.entries()];
    expect(entries.filter(({ type }) => type === "asked" || type === "decided")).toMatchObject([
      {
        type: "asked",
        question: "q1",
        turn: "one",
        title: "rm x",
        kind: "execute",
        toolCall: "a",
        via: "agent",
      },
      { type: "decided", question: "q1", how: "rule", rule: "deny: execute(rm *)", allowed: false },
      { type: "asked", question: "q2" },
      {
        type: "decided",
        question: "q2",
        how: "answered",
        by: "test (client-1)",
        allowed: true,
        latencyMs: 1_500,
      },
      { type: "asked", question: "q3" },
      { type: "decided", question: "q3", how: "expired", allowed: false, latencyMs: 120_000 },
    ]);
  });
});
