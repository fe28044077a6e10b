import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import type { AcpClient, Question } from "../doubles/acp-client.ts";
import { converse, joined, toAgents } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";

const option = (optionId: string, kind: string) => ({ optionId, name: optionId, kind });
const ask = (options?: ReturnType<typeof option>[]): Step => ({
  ask: { tool: { id: "t", title: "Run" }, ...(options ? { options } : {}) },
});
const allow = { outcome: { outcome: "selected", optionId: "allow" } };

/** That this question was taken back from a client. */
async function seesWithdrawal(client: AcpClient, { id }: Question): Promise<void> {
  const { message } = await client.sees(
    ({ method, params }) => method === "$/cancel_request" && Object(params).requestId === id,
  );
  expect(message).not.toHaveProperty("id");
}

/** What the agents got as answers to their questions. */
const answersTo = (hall: Parameters<typeof toAgents>[0]): unknown[] =>
  toAgents(hall)
    .filter(({ method, result }) => method === undefined && Object(result).outcome !== undefined)
    .map(({ result }) => result);

describe("a permission question", () => {
  it("[C42, NG-84] comes to the client under the hall's own id, as the agent asked it, and is answered under the agent's", async () => {
    const { client, sessionId } = await converse();
    const options = [
      option("once", "allow_once"),
      option("always", "allow_always"),
      option("no", "reject_once"),
    ];
    const turn = client.prompt(sessionId, [
      { ask: { tool: { id: "t", title: "Run", rawInput: { command: "ls" } }, options, _meta: { a: 1 } } },
    ]);
    const question = await client.question();
    expect(question.params).toEqual({
      sessionId,
      toolCall: { toolCallId: "t", title: "Run", rawInput: { command: "ls" } },
      options,
      _meta: { a: 1 },
    });
    question.select("always");
    await turn;
    expect(client.texts(sessionId)).toBe("asked: selected always");
    const { received, sent } = await client.agentSaw(sessionId);
    const asked = sent.find(({ method }) => method === "session/request_permission");
    expect(received.filter(({ id, method }) => method === undefined && id === asked?.id)).toHaveLength(1);
  });

  it("[C42] and another open at the same time each get their own answer", async () => {
    const { client, sessionId } = await converse();
    const one = (id: string): Step => ({ ask: { tool: { id } }, as: id });
    const turn = client.prompt(sessionId, [{ together: [one("a"), one("b"), one("c")] }]);
    const questions = [await client.question(), await client.question(), await client.question()];
    expect(new Set(questions.map(({ id }) => id)).size).toBe(3);
    for (const { params, select } of questions.reverse()) {
      select(params.toolCall.toolCallId === "b" ? "reject" : "allow");
    }
    await turn;
    for (const said of ["a: selected allow", "b: selected reject", "c: selected allow"]) {
      expect(client.texts(sessionId)).toContain(said);
    }
  });

  it("[C42] comes after every update that stood before it", async () => {
    const { client, sessionId } = await converse();
    const turn = client.prompt(sessionId, [{ burst: { count: 50 } }, ask()]);
    const question = await client.question();
    expect(client.texts(sessionId)).toMatch(/burst 49$/);
    question.select("allow");
    await turn;
  });

  it.each([
    [
      "the rejection that was offered for once",
      [option("x", "allow_once"), option("n", "reject_once")],
      "selected n",
    ],
    [
      "a cancelled outcome where none was",
      [option("x", "allow_once"), option("n", "reject_always")],
      "cancelled",
    ],
    ["a cancelled outcome where only allowing was", [option("x", "allow_always")], "cancelled"],
  ])(
    "[C43, NG-86] that nobody answers in 120 s is refused: the agent gets %s",
    async (_name, options, outcome) => {
      const clock = new HandClock();
      const { client, sessionId } = await converse({}, { clock });
      const turn = client.prompt(sessionId, [ask(options)]);
      const question = await client.question();
      clock.advance(119_999);
      expect(await client.saidMeanwhile()).toEqual([]);
      clock.advance(1);
      await seesWithdrawal(client, question);
      expect(await turn).toMatchObject({ stopReason: "end_turn" });
      expect(client.texts(sessionId)).toBe(`asked: ${outcome}`);
      question.select("x");
      expect(await client.saidMeanwhile()).toEqual([]);
    },
  );

  it("[C43] waits as long as the slot says", async () => {
    const clock = new HandClock();
    const { client, sessionId } = await converse({}, { clock, slot: { permission: { timeout: "5s" } } });
    const turn = client.prompt(sessionId, [ask()]);
    await client.question();
    clock.advance(5_000);
    await turn;
    expect(client.texts(sessionId)).toBe("asked: selected reject");
  });

  it.each([
    ["an option that was not offered", (question: Question) => question.select("allow_everything")],
    [
      "an outcome that there is not",
      (question: Question) => question.answer({ outcome: { outcome: "weird" } }),
    ],
    [
      "a selection without an option",
      (question: Question) => question.answer({ outcome: { outcome: "selected" } }),
    ],
    ["an outcome that is text", (question: Question) => question.answer({ outcome: "selected" })],
    ["nothing", (question: Question) => question.answer(null)],
    ["an error", (question: Question) => question.fail(-32603, "Broken.")],
    ["that it knows no questions", (question: Question) => question.fail(-32601, "Unknown.")],
    ["a cancelled outcome", (question: Question) => question.cancel()],
  ])("[C46, NG-85] that is answered with %s is refused, and the turn goes on", async (_name, answer) => {
    const { client, sessionId } = await converse();
    const turn = client.prompt(sessionId, [ask(), { say: " and on" }]);
    answer(await client.question());
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("asked: selected reject and on");
  });

  it("[C47] is asked of every client of the session; the first answer wins, the others are told that it is over", async () => {
    const { hall, client, sessionId } = await converse();
    const other = await joined(hall, sessionId);
    const turn = client.prompt(sessionId, [ask()]);
    const [mine, theirs] = [await client.question(), await other.question()];
    theirs.select("reject");
    await seesWithdrawal(client, mine);
    mine.select("allow");
    await turn;
    expect(client.texts(sessionId)).toBe("asked: selected reject");
    expect(answersTo(hall)).toHaveLength(1);
  });

  it("[C48] that comes while nobody is there waits, and is asked of whoever comes", async () => {
    const { hall, client, sessionId } = await converse();
    const { wait, reached, open } = gate();
    void client.prompt(sessionId, [wait, ask(), { say: " done" }]);
    await reached();
    await client.close();
    open();
    const back = await joined(hall, sessionId);
    (await back.question()).select("allow");
    await back.hears(" done");
    expect(back.texts(sessionId)).toBe("asked: selected allow done");
  });

  it("[C48] that is open when its only client goes is asked again of the next", async () => {
    const { hall, client, sessionId } = await converse();
    void client.prompt(sessionId, [ask(), { say: " done" }]);
    await client.question();
    await client.close();
    const back = await joined(hall, sessionId);
    (await back.question()).select("allow");
    await back.hears(" done");
    expect(answersTo(hall)).toEqual([allow]);
  });

  it("is not asked of a client again that knows no questions, but still of the others", async () => {
    const { hall, client, sessionId } = await converse();
    const other = await joined(hall, sessionId);
    const turn = client.prompt(sessionId, [ask(), ask()]);
    (await client.question()).fail(-32601, "Unknown.");
    (await other.question()).select("allow");
    (await other.question()).select("allow");
    await turn;
    expect(client.messages.filter(({ method }) => method === "session/request_permission")).toHaveLength(1);
    expect(client.texts(sessionId)).toBe("asked: selected allowasked: selected allow");
  });

  it("is refused at once when nobody is left who knows questions", async () => {
    const { client, sessionId } = await converse();
    const turn = client.prompt(sessionId, [ask(), ask()]);
    (await client.question()).fail(-32601, "Unknown.");
    await turn;
    expect(client.texts(sessionId)).toBe("asked: selected rejectasked: selected reject");
  });

  it("that is open when its turn ends is taken back", async () => {
    const { client, sessionId } = await converse();
    const { wait, open } = gate();
    const turn = client.prompt(sessionId, [{ together: [ask(), [wait, { exit: 0 }]] }]);
    const question = await client.question();
    open();
    await turn.catch(() => {});
    await seesWithdrawal(client, question);
  });

  it("that the agent takes back itself is taken back from the client, and still answered to the agent", async () => {
    const { client, sessionId } = await converse();
    const { wait, open } = gate();
    // The first request of a scripted agent has the id 0.
    const takeBack: Step = { notify: { method: "$/cancel_request", params: { requestId: 0 } } };
    const turn = client.prompt(sessionId, [{ together: [ask(), [wait, takeBack]] }]);
    const question = await client.question();
    open();
    await seesWithdrawal(client, question);
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toMatch(/^asked: (selected reject|cancelled|error -32800)/);
  });
});

describe("a permission question and a cancel", () => {
  it("[C44, ACP-CANCEL-001] every open one is answered cancelled to the agent, and taken back from the client", async () => {
    const { hall, client, sessionId } = await converse({ hangUntilAnswered: true });
    const turn = client.prompt(sessionId, [{ together: [ask(), ask()] }]);
    const questions = [await client.question(), await client.question()];
    client.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    for (const question of questions) await seesWithdrawal(client, question);
    const cancelled = { outcome: { outcome: "cancelled" } };
    expect(answersTo(hall)).toEqual([cancelled, cancelled]);
    for (const question of questions) question.select("allow");
    expect(await client.saidMeanwhile()).toEqual([]);
    expect(answersTo(hall)).toHaveLength(2);
  });

  it("[C44] it may be answered as the cancelled client has to: nothing more comes of it", async () => {
    const { hall, client, sessionId } = await converse();
    const turn = client.prompt(sessionId, [ask()]);
    const question = await client.question();
    client.cancel(sessionId);
    question.cancel();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(answersTo(hall)).toHaveLength(1);
  });

  it("[C45] one that comes after it is answered cancelled at once, and shown to nobody", async () => {
    const { hall, client, sessionId } = await converse();
    const other = await joined(hall, sessionId);
    const turn = client.prompt(sessionId, [{ say: "on" }, { wait: "cancel" }, ask()]);
    await client.hears("on");
    client.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(client.texts(sessionId)).toBe("onasked: cancelled");
    await other.saidMeanwhile();
    for (const { messages } of [client, other]) {
      expect(messages.filter(({ method }) => method === "session/request_permission")).toEqual([]);
    }
  });

  it("one of the next turn is asked as ever", async () => {
    const { client, sessionId } = await converse();
    const first = client.prompt(sessionId, [ask()]);
    await client.question();
    client.cancel(sessionId);
    await first;
    const since = client.received.length;
    const second = client.prompt(sessionId, [ask()]);
    (await client.question()).select("allow");
    expect(await second).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId, since)).toBe("asked: selected allow");
  });
});
