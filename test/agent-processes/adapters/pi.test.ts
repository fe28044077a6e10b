import { describe, expect, it } from "vitest";
import { pi } from "../../../src/agents/adapters/pi/pi.ts";
import { fieldsOf, recording, recordingsOf } from "./recorded.ts";
import { inSum, OPENING, Rehearsal } from "./rehearsal.ts";

const PI = "pi-0.73.1";
const MODEL = { id: "m", provider: "p", contextWindow: 1000 };

/** An adapter that was answered up to its session. */
function opened(models: object[] = [MODEL]): Rehearsal<unknown> {
  const rehearsal = new Rehearsal(pi);
  rehearsal.request("session/new");
  const answer = (command: string, data: object): void => {
    const { id } = rehearsal.written.findLast(({ type }) => type === command) ?? {};
    rehearsal.native({ type: "response", command, id, success: true, data });
  };
  answer("get_state", { sessionId: "pi-1", model: MODEL, thinkingLevel: "off" });
  answer("get_commands", { commands: [] });
  answer("get_available_models", { models });
  return rehearsal;
}

/** Tells the adapter what pi said in a recording. A run that ended is asked after, and nothing more goes on. */
function replay(name: string): Rehearsal<unknown> {
  const rehearsal = opened();
  for (const line of recording(PI, name)) {
    const message = fieldsOf(line);
    if (line.dir === ">" && message.type === "prompt") rehearsal.prompt();
    if (line.dir === ">" && message.type === "abort") rehearsal.tell({ kind: "cancel" });
    if (line.dir !== "<" || message.type === "response") continue;
    rehearsal.native(message);
    if (message.type === "agent_end") settle(rehearsal, { isStreaming: false });
  }
  return rehearsal;
}

function settle(rehearsal: Rehearsal<unknown>, data: object): void {
  const { id } = rehearsal.written.findLast(({ type }) => type === "get_state") ?? {};
  rehearsal.native({ type: "response", command: "get_state", id, success: true, data });
}

const turnOf = (name: string): string[] =>
  inSum(replay(name).story).filter((line) => line !== "answer: ok" && line !== "available_commands_update");

describe("pi's lines, as they were recorded", () => {
  it("of a text, told once", () => {
    expect(turnOf("text")).toEqual([
      expect.stringMatching(/^says: A streamed answer comes in several pieces, .*日本語\.$/s),
      "usage_update",
      "answer: end_turn",
    ]);
  });

  it("of a command that fails", () => {
    expect(turnOf("bash")).toEqual([
      "says: A command is needed. ",
      "tool: echo hi; false (pending)",
      "tool in_progress",
      "tool failed",
      expect.stringMatching(/^says: The tools answered/),
      "usage_update",
      "answer: end_turn",
    ]);
  });

  it("of a file that is written: its text as a diff", () => {
    expect(replay("write").updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject({
      kind: "edit",
      locations: [{ path: "/work/project/a.txt" }],
      content: [{ type: "diff", oldText: null, newText: "first line\nsecond line\n" }],
    });
  });

  it("of a failure: an error, and no text", () => {
    const rehearsal = replay("error-400");
    expect(rehearsal.answerTo(2)).toMatchObject({
      error: {
        code: -32603,
        message: "400 The script says to fail with 400.",
        data: { kind: "bad_request", status: 400 },
      },
    });
    expect(rehearsal.story.filter((line) => line.startsWith("says"))).toEqual([]);
  });

  it.each(["abort", "abort-tool"])("of a cancel: %s", (name) => {
    expect(turnOf(name).at(-1)).toBe("answer: cancelled");
  });

  it.each(recordingsOf(PI))("begin each tool call once, and answer nothing twice: %s", (name) => {
    const rehearsal = replay(name);
    const ids = rehearsal.updates
      .filter(({ sessionUpdate }) => sessionUpdate === "tool_call")
      .map(({ toolCallId }) => toolCallId);
    expect(new Set(ids).size).toBe(ids.length);
    const answers = rehearsal.steps.flatMap((step) =>
      "reply" in step ? [step.reply] : "fail" in step ? [step.fail] : [],
    );
    expect(new Set(answers).size).toBe(answers.length);
  });
});

describe("a turn of pi's", () => {
  const failed = {
    type: "agent_end",
    messages: [{ role: "assistant", stopReason: "error", errorMessage: "529 busy" }],
  };

  it("goes on while another attempt is announced, and ends with the last one", () => {
    const rehearsal = opened();
    const id = rehearsal.prompt();
    rehearsal.native(failed);
    rehearsal.native({ type: "auto_retry_start", attempt: 1 });
    settle(rehearsal, { isStreaming: false });
    expect(rehearsal.answerTo(id)).toBeUndefined();
    rehearsal.native({ type: "agent_start" });
    rehearsal.native(failed);
    rehearsal.native({ type: "auto_retry_end", success: false, finalError: "529 still busy" });
    settle(rehearsal, { isStreaming: false });
    expect(rehearsal.answerTo(id)).toMatchObject({
      error: { message: "529 still busy", data: { kind: "overloaded" } },
    });
  });

  it("ends where the version says that it is settled, and not before", () => {
    const rehearsal = opened();
    const done = { type: "agent_end", messages: [{ role: "assistant", stopReason: "stop" }] };
    rehearsal.native({ type: "agent_settled" });
    const id = rehearsal.prompt();
    rehearsal.native(done);
    rehearsal.native(done);
    expect(rehearsal.answerTo(id)).toBeUndefined();
    rehearsal.native({ type: "agent_settled" });
    expect(rehearsal.answerTo(id)).toEqual({ stopReason: "end_turn" });
  });

  it("asks of an extension only what can be shown, and answers the rest", () => {
    const rehearsal = opened();
    rehearsal.native({
      type: "extension_ui_request",
      id: "a",
      method: "select",
      title: "Which?",
      options: ["x", "y"],
    });
    rehearsal.tell({ kind: "answer", ask: "a", decision: { option: "1", kind: "allow_once" } });
    expect(rehearsal.written.at(-1)).toEqual({ type: "extension_ui_response", id: "a", value: "y" });
    rehearsal.native({ type: "extension_ui_request", id: "b", method: "editor", title: "Write" });
    expect(rehearsal.written.at(-1)).toEqual({ type: "extension_ui_response", id: "b", cancelled: true });
    const before = rehearsal.written.length;
    rehearsal.native({ type: "extension_ui_request", id: "c", method: "notify", message: "!" });
    expect(rehearsal.written).toHaveLength(before);
  });
});

it("pi without a model that it may use wants a login", () => {
  expect(opened([]).answerTo(1)).toMatchObject({ error: { code: -32000, data: { kind: "not_logged_in" } } });
});

it("pi is told of a session by its id, and says on stderr when there is none", () => {
  const rehearsal = new Rehearsal(pi, { opening: { ...OPENING, how: "resume" } });
  expect(pi.command(rehearsal.state)).toEqual({
    program: "pi",
    args: ["--mode", "rpc", "--session", OPENING.id],
  });
  const id = rehearsal.request("session/resume");
  rehearsal.exited(1, ["No session found matching 'x'"]);
  expect(rehearsal.answerTo(id)).toMatchObject({ error: { code: -32002 } });
});
