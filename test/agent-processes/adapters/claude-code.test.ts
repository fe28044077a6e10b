import { describe, expect, it } from "vitest";
import { claudeCode } from "../../../src/agents/adapters/claude-code/claude-code.ts";
import { fieldsIn } from "../../../src/agents/adapters/native-line.ts";
import { fieldsOf, recording, recordingsOf } from "./recorded.ts";
import { inSum, OPENING, Rehearsal, SETTINGS } from "./rehearsal.ts";

const CLAUDE = "claude-code-2.1.332";

/** Tells the adapter what Claude Code said in a recording; prompts, interrupts and answers come where they came then. */
function replay(name: string): Rehearsal<unknown> {
  const rehearsal = new Rehearsal(claudeCode);
  for (const line of recording(CLAUDE, name)) {
    const message = fieldsOf(line);
    if (line.dir === "<") rehearsal.native(message);
    if (line.dir !== ">") continue;
    const { subtype } = fieldsIn(message, "request");
    if (message.type === "user") rehearsal.prompt();
    else if (subtype === "interrupt") rehearsal.tell({ kind: "cancel" });
    else if (message.type === "control_response") {
      const response = fieldsIn(message, "response");
      const allowed = fieldsIn(response, "response").behavior === "allow";
      const decision = allowed
        ? { option: "allow", kind: "allow_once" }
        : { option: "reject", kind: "reject_once" };
      rehearsal.tell({ kind: "answer", ask: String(response.request_id), decision });
    }
  }
  return rehearsal;
}

describe("Claude Code's lines, as they were recorded", () => {
  it("of a turn with a command: each text once, the question where it was asked, usage before the answer", () => {
    const { story, updates } = replay("bash-allow");
    expect(inSum(story)).toEqual([
      "says: I will run a command. ",
      "tool: Terminal (pending)",
      "ask: allow_once allow_always reject_once",
      "tool completed",
      "says: scripted: the tool said: hall-ok",
      "usage_update",
      "answer: end_turn",
    ]);
    expect(updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "tool_call_update",
        title: "echo hall-ok > fake-bash.txt && cat fake-bash.txt",
        kind: "execute",
      }),
    );
  });

  it("of a thought: it is told apart, and once", () => {
    expect(inSum(replay("think").story)).toEqual([
      "thinks: First I think about it. Then I think again.",
      "says: Thought and answered.",
      "usage_update",
      "answer: end_turn",
    ]);
  });

  it("without partial messages: whole texts are told instead", () => {
    expect(inSum(replay("text-nopartial").story)[0]).toMatch(
      /^says: Hello from the fake model\. .*日本語\.$/s,
    );
  });

  it("of a refusal: the tool failed, and the turn went on", () => {
    expect(inSum(replay("bash-deny").story)).toEqual([
      "says: I will run a command. ",
      "tool: Terminal (pending)",
      "ask: allow_once allow_always reject_once",
      "tool failed",
      expect.stringMatching(/^says: /),
      "usage_update",
      "answer: end_turn",
    ]);
  });

  it("of an interrupt in a question: that is withdrawn, and the prompt has its answer", () => {
    const rehearsal = replay("interrupt-perm");
    expect(inSum(rehearsal.story).slice(2, 5)).toEqual([
      "ask: allow_once allow_always reject_once",
      "withdraw",
      "tool failed",
    ]);
    // That it was cancelled the runner knows.
    expect(rehearsal.answerTo(1)).toBeDefined();
  });

  it.each([
    ["error-400", { code: -32603, data: { kind: "bad_request", status: 400 } }],
    ["error-529", { code: -32603, data: { kind: "overloaded", status: 529 } }],
  ])("of a provider's failure: an error, and no text (%s)", (name, error) => {
    const rehearsal = replay(name);
    expect(rehearsal.answerTo(1)).toMatchObject({ error });
    expect(rehearsal.story.filter((line) => line.startsWith("says"))).toEqual([]);
  });

  it("of two prompts in a row: two answers, in order", () => {
    const { story } = replay("queue");
    expect(story.filter((line) => line.startsWith("answer"))).toHaveLength(1);
    // The runner sends one prompt at a time; told of two at once, the first result is not taken for both.
    expect(story.filter((line) => line.startsWith("error"))).toEqual([]);
  });

  it("of subagents and work in the background: what Claude Code does by itself answers no prompt", () => {
    for (const name of ["subagent", "background"]) {
      const { story } = replay(name);
      expect(story.filter((line) => line.startsWith("answer"))).toEqual(["answer: end_turn"]);
    }
  });

  it.each(recordingsOf(CLAUDE))(
    "begin each tool call once, and leave each prompt with one answer: %s",
    (name) => {
      const rehearsal = replay(name);
      const begun = rehearsal.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call");
      const ids = begun.map(({ toolCallId }) => toolCallId);
      expect(new Set(ids).size).toBe(ids.length);
      const answers = rehearsal.steps.flatMap((step) =>
        "reply" in step ? [step.reply] : "fail" in step ? [step.fail] : [],
      );
      expect(new Set(answers).size).toBe(answers.length);
      for (const line of recording(CLAUDE, name))
        if (line.dir === "<raw") expect.fail("a line that is no JSON");
    },
  );
});

describe("what Claude Code is sent", () => {
  it("is a command line that makes it ask, with the session in it and no secret", () => {
    const mcpServers = [
      { name: "x", command: "/x", args: [], env: [{ name: "TOKEN", value: "very-secret" }] },
    ];
    const opening = { ...OPENING, mcpServers, additionalDirectories: ["/srv/other"] };
    const { state } = new Rehearsal(claudeCode, {
      opening,
      settings: { ...SETTINGS, args: ["--model", "haiku"] },
    });
    const command = claudeCode.command(state);
    expect(command).toEqual({
      program: "claude",
      args: [
        ..."-p --output-format stream-json --input-format stream-json --verbose --include-partial-messages".split(
          " ",
        ),
        ..."--replay-user-messages --permission-prompt-tool stdio --permission-mode default".split(" "),
        ..."--disallowedTools AskUserQuestion --add-dir /srv/other".split(" "),
        ...["--session-id", OPENING.id, "--model", "haiku"],
      ],
    });
  });

  it("is, for a prompt, its blocks in their order, embedded texts behind them, and its own commands", () => {
    const rehearsal = new Rehearsal(claudeCode);
    rehearsal.request("session/prompt", {
      prompt: [
        { type: "text", text: "/mcp:docs:search query" },
        { type: "resource", resource: { uri: "file:///a/b.txt", text: "B" } },
        { type: "image", data: "aGk=", mimeType: "image/jpeg" },
        { type: "resource_link", uri: "file:///c.txt", name: "c" },
      ],
    });
    expect(fieldsIn(rehearsal.written.at(-1) ?? {}, "message")).toEqual({
      role: "user",
      content: [
        { type: "text", text: "/docs:search (MCP) query" },
        { type: "text", text: "[@b.txt](file:///a/b.txt)" },
        { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "aGk=" } },
        { type: "text", text: "[@c](file:///c.txt)" },
        { type: "text", text: '\n<context ref="file:///a/b.txt">\nB\n</context>' },
      ],
    });
  });

  it("is an answer to whatever it asks: what is unknown is refused, so that it does not wait", () => {
    const rehearsal = new Rehearsal(claudeCode);
    rehearsal.native({ type: "control_request", request_id: "r", request: { subtype: "hook_callback" } });
    expect(rehearsal.written.at(-1)).toEqual({
      type: "control_response",
      response: { subtype: "error", request_id: "r", error: "hook_callback is not supported here." },
    });
  });

  it("allows with the input that was asked about, and says when nobody did", () => {
    const ask = {
      type: "control_request",
      request_id: "r",
      request: { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t" },
    };
    for (const [decision, response] of [
      [
        { option: "allow", kind: "allow_once" },
        { behavior: "allow", updatedInput: { command: "ls" } },
      ],
      [{ option: "reject", kind: "reject_once" }, { behavior: "deny" }],
      ["failed", { behavior: "deny" }],
      ["cancelled", { behavior: "deny", interrupt: true }],
    ] as const) {
      const rehearsal = new Rehearsal(claudeCode);
      rehearsal.native(ask);
      rehearsal.tell({ kind: "answer", ask: "r", decision });
      expect(rehearsal.written.at(-1)).toMatchObject({
        response: { subtype: "success", request_id: "r", response },
      });
    }
  });

  it("leaves a plan for the mode that was chosen", () => {
    const rehearsal = new Rehearsal(claudeCode);
    rehearsal.native({
      type: "control_request",
      request_id: "r",
      request: { subtype: "can_use_tool", tool_name: "ExitPlanMode", input: { plan: "p" }, tool_use_id: "t" },
    });
    rehearsal.tell({ kind: "answer", ask: "r", decision: { option: "acceptEdits", kind: "allow_always" } });
    expect(rehearsal.written.at(-1)).toMatchObject({
      response: {
        response: { updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }] },
      },
    });
  });
});

it("Claude Code that knows no such session says so on its stderr", () => {
  const rehearsal = new Rehearsal(claudeCode, { opening: { ...OPENING, how: "resume" } });
  const id = rehearsal.request("session/resume");
  rehearsal.exited(1, ["No conversation found with session ID: x"]);
  expect(rehearsal.answerTo(id)).toMatchObject({ error: { code: -32002, data: { sessionId: OPENING.id } } });
});
