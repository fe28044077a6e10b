import { describe, expect, it } from "vitest";
import type { Fields } from "../../../src/acp/checks.ts";
import { codex } from "../../../src/agents/adapters/codex/codex.ts";
import { CodexExec } from "../../../src/agents/adapters/one-shot/codex-exec.ts";
import { fieldsOf, recording, recordingsOf } from "./recorded.ts";
import { inSum, OPENING, Rehearsal } from "./rehearsal.ts";

const CODEX = "codex-0.171.0";
const appServer = recordingsOf(CODEX).filter((name) => name.startsWith("as-"));
const exec = recordingsOf(CODEX).filter((name) => name.startsWith("exec-"));

/**
 * Tells the adapter what the app-server said in a recording. Its answers go to the adapter's own requests of the same
 * method; what the adapter asks beside them is refused, as by a version that does not know it.
 */
function replay(name: string): Rehearsal<unknown> {
  const lines = recording(CODEX, name);
  const asked = new Map<unknown, unknown>();
  for (const line of lines) {
    const { id, method } = fieldsOf(line);
    if (line.dir === ">" && method !== undefined) asked.set(id, method);
  }
  const resumed = [...asked.values()].includes("thread/resume");
  const threads = lines
    .map((line) => Object(fieldsOf(line).result).thread?.id)
    .filter((id) => id !== undefined);
  const opening = resumed ? { ...OPENING, how: "resume" as const, id: String(threads[0]) } : OPENING;
  const rehearsal = new Rehearsal(codex, { opening });
  rehearsal.request(resumed ? "session/resume" : "session/new");
  const ours = (method: unknown): Fields | undefined =>
    rehearsal.written.findLast((written) => written.method === method && written.id !== undefined);
  for (const line of lines) {
    const message = fieldsOf(line);
    if (line.dir === ">") {
      if (message.method === "turn/start") rehearsal.prompt();
      if (message.method === "turn/interrupt") rehearsal.tell({ kind: "cancel" });
      if (message.method === undefined && message.id !== undefined) {
        const { decision } = Object(message.result);
        const option = typeof decision === "object" ? "acceptWithExecpolicyAmendment" : String(decision);
        const kind = option.startsWith("accept") ? "allow_once" : "reject_once";
        rehearsal.tell({
          kind: "answer",
          ask: JSON.stringify(message.id),
          decision: option === "cancel" ? "cancelled" : { option, kind },
        });
      }
    } else if (line.dir === "<" && message.method === undefined) {
      const method = asked.get(message.id);
      const request = ours(method);
      if (request) rehearsal.native({ ...message, id: request.id });
      const models = method === "initialize" ? ours("model/list") : undefined;
      if (models && ![...asked.values()].includes("model/list"))
        rehearsal.native({ id: models.id, error: {} });
    } else if (line.dir === "<") rehearsal.native(message);
  }
  return rehearsal;
}

/** From the prompt on. */
const turnOf = (name: string): string[] =>
  inSum(replay(name).story.filter((line) => line !== "answer: ok")).slice(1);

describe("the app-server's lines, as they were recorded", () => {
  it("of a turn with a command: each text once, what it printed, the answer last", () => {
    expect(turnOf("as-bash-accept")).toEqual([
      "says: I will run a command. ",
      "tool: echo hall-ok > fake-bash.txt && cat fake-bash.txt (in_progress)",
      "ask: allow_once allow_always reject_once",
      "tool completed",
      "usage_update",
      expect.stringMatching(/^says: scripted: the tool said: /),
      "usage_update",
      "answer: end_turn",
    ]);
  });

  it("of a refusal: the turn goes on; of a cancel in a question, it does not", () => {
    expect(turnOf("as-bash-decline").at(-1)).toBe("answer: end_turn");
    expect(turnOf("as-bash-cancel").at(-1)).toBe("answer: cancelled");
  });

  it("of a thought, told apart", () => {
    expect(turnOf("as-think").slice(0, 2)).toEqual([
      "thinks: First I think about it. Then I think again.",
      "says: Thought and answered.",
    ]);
  });

  it("of a change of a file: its diff, before it is asked about", () => {
    const { updates } = replay("as-write-accept");
    expect(updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject({
      kind: "edit",
      title: "Write /work/project/fake-write.txt",
      locations: [{ path: "/work/project/fake-write.txt" }],
      content: [{ type: "diff", oldText: null, newText: "line one\nline two żółw\n" }],
    });
  });

  it.each(["as-interrupt", "as-interrupt-tool", "as-interrupt-perm"])("of a cancel: %s", (name) => {
    expect(turnOf(name)).toContain("answer: cancelled");
  });

  it("of a failure: an error in plain words, no text, and attempts are no failures", () => {
    expect(replay("as-error-400").answerTo(2)).toMatchObject({
      error: { code: -32603, message: "scripted: scripted HTTP 400", data: { kind: "provider_error" } },
    });
    const refused = replay("as-error-401");
    expect(refused.answerTo(2)).toMatchObject({ error: { code: -32000, data: { kind: "not_logged_in" } } });
    expect(refused.story.filter((line) => /^(says|error)/.test(line))).toHaveLength(1);
  });

  it("of a thread that is taken up again", () => {
    const { story } = replay("as-resume.2");
    expect(story[0]).toBe("answer: ok");
    expect(inSum(story)).toContain("answer: end_turn");
  });

  it.each(appServer)("begin each tool call once, and answer nothing twice: %s", (name) => {
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

describe("the events of codex exec, as they were recorded", () => {
  const told = (name: string) => {
    const output = new CodexExec(1);
    const lines = recording(CODEX, name).filter(({ dir }) => dir === "<");
    const steps = lines.flatMap(({ msg }) => output.line(JSON.stringify(msg)));
    return { output, updates: steps.flatMap((step) => ("update" in step ? [step.update] : [])) };
  };

  it("of a turn with a command", () => {
    const { output, updates } = told("exec-bash-plain");
    expect(updates).toMatchObject([
      { sessionUpdate: "tool_call", toolCallId: "1-item_0", kind: "execute", status: "in_progress" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "1-item_0",
        status: "completed",
        rawOutput: { exitCode: 0 },
      },
      { sessionUpdate: "agent_message_chunk" },
    ]);
    expect(output.ending).toMatchObject({
      stopReason: "end_turn",
      usage: { inputTokens: 200, outputTokens: 36 },
    });
    expect(output.session).toMatch(/^01a2/);
  });

  it("of a failure", () => {
    expect(told("exec-error-400").output.ending).toMatchObject({
      code: -32603,
      data: { kind: "provider_error" },
    });
  });

  it.each(exec)("end a turn that was not cut off, one way or the other: %s", (name) => {
    expect(told(name).output.ending).toBeDefined();
  });
});

describe("what the app-server is sent", () => {
  /** An adapter that was answered up to its thread. */
  function opened(opening = OPENING): Rehearsal<unknown> {
    const rehearsal = new Rehearsal(codex, { opening });
    rehearsal.request("session/new");
    rehearsal.native({ id: 0, result: {} });
    rehearsal.native({ id: 1, result: { data: [] } });
    rehearsal.native({ id: 2, result: { thread: { id: "thread-1" }, model: "m" } });
    return rehearsal;
  }

  it("begins with the handshake that opens what is not stable, and names the session after the thread", () => {
    const rehearsal = opened();
    expect(rehearsal.written.map(({ method }) => method)).toEqual([
      "initialize",
      "initialized",
      "model/list",
      "thread/start",
    ]);
    expect(rehearsal.written[0]).toMatchObject({ params: { capabilities: { experimentalApi: true } } });
    expect(rehearsal.answerTo(1)).toEqual({ sessionId: "thread-1" });
  });

  it("is an interrupt as soon as the turn has a name, when the cancel came before that", () => {
    const rehearsal = opened();
    rehearsal.prompt();
    expect(rehearsal.tell({ kind: "cancel" })).toEqual([]);
    rehearsal.native({ id: 3, result: { turn: { id: "turn-1" } } });
    expect(rehearsal.written.at(-1)).toMatchObject({
      method: "turn/interrupt",
      params: { threadId: "thread-1", turnId: "turn-1" },
    });
  });

  it("is an answer to whatever it asks, under its own id, which begins at 0", () => {
    const rehearsal = opened();
    rehearsal.native({ id: 0, method: "from/tomorrow", params: {} });
    expect(rehearsal.written.at(-1)).toMatchObject({ id: 0, error: { code: -32601 } });
    rehearsal.native({ id: 1, method: "item/tool/requestUserInput", params: {} });
    expect(rehearsal.written.at(-1)).toEqual({ id: 1, result: { answers: {} } });
  });

  it("is a decision that it offered, whole; a refusal goes on, a cancel ends the turn", () => {
    const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make"] } };
    const params = {
      threadId: "thread-1",
      itemId: "i",
      command: "make",
      availableDecisions: ["accept", amendment, "cancel"],
    };
    for (const [decision, answer] of [
      [{ option: "accept", kind: "allow_once" }, "accept"],
      [{ option: "acceptWithExecpolicyAmendment", kind: "allow_always" }, amendment],
      [{ option: "acceptForSession", kind: "allow_always" }, "decline"],
      [{ option: "decline", kind: "reject_once" }, "decline"],
      ["failed", "decline"],
      ["cancelled", "cancel"],
    ] as const) {
      const rehearsal = opened();
      rehearsal.native({ id: 0, method: "item/commandExecution/requestApproval", params });
      rehearsal.tell({ kind: "answer", ask: "0", decision });
      expect(rehearsal.written.at(-1)).toEqual({ id: 0, result: { decision: answer } });
    }
  });

  it.each([
    ["execCommandApproval", { callId: "c", command: ["ls"] }, { decision: "approved" }],
    ["applyPatchApproval", { callId: "c" }, { decision: "approved" }],
    ["item/fileChange/requestApproval", { itemId: "c" }, { decision: "accept" }],
    [
      "item/permissions/requestApproval",
      { permissions: { network: {} } },
      { permissions: { network: {} }, scope: "turn" },
    ],
    [
      "mcpServer/elicitation/request",
      { serverName: "s", message: "m" },
      { action: "accept", content: {}, _meta: null },
    ],
  ])("allows %s as that wants it", (method, params, result) => {
    const rehearsal = opened();
    rehearsal.native({ id: 7, method, params: { threadId: "thread-1", ...params } });
    rehearsal.tell({ kind: "answer", ask: "7", decision: { option: "accept", kind: "allow_once" } });
    expect(rehearsal.written.at(-1)).toEqual({ id: 7, result });
  });

  it("is what another thread says never taken for its own", () => {
    const rehearsal = opened();
    const id = rehearsal.prompt();
    rehearsal.native({ id: 3, result: { turn: { id: "turn-1" } } });
    const told = {
      method: "turn/completed",
      params: { threadId: "thread-2", turn: { id: "turn-1", status: "completed" } },
    };
    rehearsal.native(told);
    expect(rehearsal.answerTo(id)).toBeUndefined();
    rehearsal.native({ ...told, params: { ...told.params, threadId: "thread-1" } });
    expect(rehearsal.answerTo(id)).toEqual({ stopReason: "end_turn" });
  });
});
