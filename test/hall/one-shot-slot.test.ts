import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startHall, type TestHall } from "../doubles/start-hall.ts";

/** A hall with one slot that runs this script, one child a turn. */
async function hallWith(script: string, slot: object = {}): Promise<TestHall> {
  const hall = await startHall({
    slots: {
      script: {
        adapter: "one-shot",
        command: [process.execPath, "-e", script],
        env_inherit: ["ANTHROPIC_API_KEY", "HALL_TOKEN"],
        ...slot,
      },
    },
  });
  return hall;
}

const read = 'const prompt = require("node:fs").readFileSync(0, "utf8");';
const say = (event: string): string => `console.log(JSON.stringify(${event}));`;

describe("a one-shot slot", () => {
  it("answers with what its command writes, as it writes it, and ends the turn with its exit", async () => {
    const hall = await hallWith(`${read} process.stdout.write("You said: "); process.stdout.write(prompt);`);
    const client = await hall.connect();
    const sessionId = await client.begin();
    const { stopReason } = await client.prompt(sessionId, "zażółć");
    expect(stopReason).toBe("end_turn");
    expect(client.texts(sessionId)).toBe("You said: zażółć");
  });

  it("fails the turn with the exit code and the last words of a command that fails, never with text", async () => {
    const hall = await hallWith('console.error("no such\\nmodel: x"); process.exit(3)');
    const client = await hall.connect();
    const sessionId = await client.begin();
    const error = await client.prompt(sessionId, "go").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: "The command ended with exit code 3. Its last words: model: x",
      data: { kind: "agent_exited", exitCode: 3, stderr: ["no such", "model: x"] },
    });
    expect(client.texts(sessionId)).toBe("");
  });

  it("maps one event a line, and passes over what it does not know", async () => {
    const script = [
      read,
      "console.log('not json');",
      say('{ type: "thought", text: "hm" }'),
      say('{ type: "plan", entries: [{ content: "one", status: "in_progress" }] }'),
      say(
        '{ type: "tool.call", id: "t", name: "look", kind: "read", locations: [{ path: "/etc/hosts", line: 1 }] }',
      ),
      say('{ type: "tool.result", id: "t", status: "completed", output: { lines: 2 }, text: "two lines" }'),
      say('{ type: "usage", used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } }'),
      say('{ type: "from.tomorrow" }'),
      say('{ type: "message", text: "done" }'),
      say('{ type: "run.finished", status: "max_turns", text: "done" }'),
    ].join("\n");
    const hall = await hallWith(script, { output: "jsonl" });
    const client = await hall.connect();
    const sessionId = await client.begin();
    const since = client.received.length;
    expect(await client.prompt(sessionId, "go")).toMatchObject({ stopReason: "max_turn_requests" });
    expect(client.updates(sessionId, since)).toMatchObject([
      { sessionUpdate: "agent_thought_chunk" },
      { sessionUpdate: "plan", entries: [{ content: "one", status: "in_progress", priority: "medium" }] },
      { sessionUpdate: "tool_call", toolCallId: "t", kind: "read", title: "look", status: "in_progress" },
      { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", rawOutput: { lines: 2 } },
      { sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "done" } },
    ]);
  });

  it("goes on with the session that its command named, also after the hall was killed", async () => {
    const script = `${read} ${say('{ type: "session", id: "native-7" }')} ${say('{ type: "message", text: process.argv.slice(1).join(" ") + ";" }')}`;
    const hall = await hallWith(script, {
      output: "jsonl",
      resume_args: ["--", "--session", "{session}"],
    });
    const before = await hall.connect();
    const sessionId = await before.begin();
    await before.prompt(sessionId, "one");
    await before.prompt(sessionId, "two");
    expect(before.texts(sessionId)).toBe(";--session native-7;");
    await hall.restart("kill");
    const after = await hall.connect();
    await after.initialize();
    await after.resume(sessionId);
    await after.prompt(sessionId, "three");
    expect(after.texts(sessionId)).toBe("--session native-7;");
  });

  it("ends a command that is cancelled, and runs the next one", async () => {
    const hall = await hallWith(
      `${read} if (prompt === "stay") { process.stdout.write("here"); setInterval(() => {}, 1000); } else process.stdout.write("next");`,
    );
    const client = await hall.connect();
    const sessionId = await client.begin();
    const turn = client.prompt(sessionId, "stay");
    await client.hears("here");
    client.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(await client.prompt(sessionId, "go")).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("herenext");
  });

  it("puts the prompt where the arguments say, and gives nothing to read then", async () => {
    const hall = await hallWith("", {
      command: [
        process.execPath,
        "-e",
        `${read} process.stdout.write(process.argv[1] + prompt.length)`,
        "{prompt}",
      ],
    });
    const client = await hall.connect();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "$& {session}");
    expect(client.texts(sessionId)).toBe("$& {session}0");
  });

  it("gives its command the safe environment and a mark, and no key of anybody's", async () => {
    process.env.OPENAI_API_KEY = "sk-of-another";
    const hall = await hallWith("process.stdout.write(JSON.stringify(process.env))", {
      env: { MINE: "set" },
      env_inherit: [],
    });
    delete process.env.OPENAI_API_KEY;
    const client = await hall.connect();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "go");
    const environment = JSON.parse(client.texts(sessionId));
    expect(environment).toMatchObject({ MINE: "set", HALL_PROCESS: expect.any(String) });
    expect(Object.keys(environment).filter((name) => /KEY|TOKEN/.test(name))).toEqual([]);
  });

  it("whose program is not there says so when a session is asked for", async () => {
    const hall = await hallWith("", { command: ["./no-such-program"] });
    const client = await hall.connect();
    await client.initialize();
    const error = await client.newSession().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ data: { kind: "spawn_failed", slot: "script" } });
  });

  it("with a path in its command means it from the roster's folder", async () => {
    const hall = await hallWith("", { command: ["./tool.sh"] });
    writeFileSync(join(hall.folder, "tool.sh"), "#!/bin/sh\necho from the folder\n", { mode: 0o700 });
    const client = await hall.connect();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "go");
    expect(client.texts(sessionId)).toBe("from the folder\n");
  });
});
