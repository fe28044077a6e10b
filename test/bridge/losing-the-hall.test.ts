import { describe, expect, it } from "vitest";
import { type Bridged, bridged, settled } from "./two-ends.ts";

const TEN_MINUTES = 600_000;
const INTRODUCED = { agentInfo: { name: "hall", version: "1" } };

/** A bridge that has introduced itself, and has a session. */
async function introduced(): Promise<Bridged> {
  const made = bridged(undefined, TEN_MINUTES);
  const { editor, hall } = made;
  editor.say({ id: 0, method: "initialize", params: { protocolVersion: 1 } });
  editor.say({ id: 1, method: "session/new", params: { cwd: "/work", additionalDirectories: ["/more"] } });
  await hall.until(({ lines }) => lines.length === 2);
  hall.say({ id: 0, result: INTRODUCED });
  hall.say({ id: 1, result: { sessionId: "s", _meta: { "hall/journal": "j", "hall/cursor": 0 } } });
  await editor.until(({ lines }) => lines.length === 2);
  return made;
}

/** The connection is lost, and another one is there. */
async function cut(made: Bridged): Promise<void> {
  const { hall } = made;
  hall.transport.destroy();
  await settled();
  made.clock.advance(250);
  await settled();
}

const asked = ({ hall }: Bridged): { id: unknown; method: string; params: Record<string, unknown> }[] =>
  hall.lines.map((line) => JSON.parse(line));

/** Answers the last that was asked. */
async function answer(made: Bridged, method: string, outcome: object): Promise<void> {
  await made.hall.until(({ lines }) => lines.some((line) => line.includes(`"${method}"`)));
  const { id } = asked(made).findLast((message) => message.method === method) ?? {};
  made.hall.say({ id, ...outcome });
  await settled();
}

describe("a bridge that lost its hall", () => {
  it("introduces itself by the same name, and resumes each session at the byte where it was cut", async () => {
    const made = await introduced();
    const { editor, news } = made;
    const name = asked(made)[0]?.params._meta;
    const update = { method: "session/update", params: { sessionId: "s", update: {} } };
    made.hall.say(update);
    made.hall.raw('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","upd');
    await editor.until(({ lines }) => lines.length === 3);
    const read = Buffer.byteLength(`${JSON.stringify({ jsonrpc: "2.0", ...update })}\n`);
    await cut(made);
    expect(asked(made)[0]).toMatchObject({ method: "initialize", params: { _meta: name } });
    await answer(made, "initialize", { result: INTRODUCED });
    expect(asked(made)[1]).toMatchObject({
      method: "session/resume",
      params: {
        sessionId: "s",
        cwd: "/work",
        additionalDirectories: ["/more"],
        _meta: { "hall/journal": "j", "hall/cursor": read },
      },
    });
    await answer(made, "session/resume", { result: {} });
    expect(editor.lines).toHaveLength(3);
    expect(news).toEqual([{ state: "lost" }, { state: "back", ms: 250 }]);
  });

  it("sends what was open again, in the first order, each with its cancel, then what was said meanwhile", async () => {
    const made = await introduced();
    const { editor } = made;
    editor.say(
      { id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [] } },
      { id: 3, method: "session/list", params: {} },
      { method: "session/cancel", params: { sessionId: "s" } },
    );
    await made.hall.until(({ lines }) => lines.length === 5);
    const [, , prompt] = made.hall.lines;
    made.hall.transport.destroy();
    await settled();
    editor.say(
      { id: 4, method: "_vendor/ask", params: {} },
      { method: "_vendor/tell", params: {} },
      { id: 5, method: "session/list", params: {} },
      { method: "$/cancel_request", params: { requestId: 5 } },
    );
    await settled();
    made.clock.advance(250);
    await settled();
    await answer(made, "initialize", { result: INTRODUCED });
    await answer(made, "session/resume", { result: {} });
    await made.hall.until(({ lines }) => lines.length === 7);
    expect(made.hall.lines[2]).toBe(prompt);
    const turn = JSON.parse(prompt ?? "").params._meta["hall/turn"];
    expect(asked(made).slice(3)).toMatchObject([
      { method: "session/cancel", params: { sessionId: "s", _meta: { "hall/turn": turn } } },
      { id: 3, method: "session/list" },
      { id: 4, method: "_vendor/ask" },
      { method: "_vendor/tell" },
    ]);
    expect(editor.messages.slice(2)).toMatchObject([{ id: 5, error: { code: -32800 } }]);
  });

  it("says of what cannot be asked twice that it is not known whether it was done", async () => {
    const made = await introduced();
    const { editor } = made;
    editor.say({ id: 2, method: "authenticate", params: {} }, { id: 3, method: "_vendor/x", params: {} });
    await made.hall.until(({ lines }) => lines.length === 4);
    made.hall.transport.destroy();
    await editor.until(({ lines }) => lines.length === 4);
    for (const { error } of editor.messages.slice(2))
      expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/not known whether/) });
  });

  it("waits for an answer that is on the screen, and withdraws what is not asked any more", async () => {
    const made = await introduced();
    const { editor } = made;
    const ask = (id: number, key: string) => ({
      id,
      method: "session/request_permission",
      params: { sessionId: "s", _meta: { "hall/call": key } },
    });
    made.hall.say(ask(0, "one"), ask(1, "two"), ask(2, "three"));
    await editor.until(({ lines }) => lines.length === 5);
    const shown = editor.messages.slice(2);
    expect(shown.every((message) => !JSON.stringify(message).includes("_meta"))).toBe(true);
    editor.say({ id: shown[0]?.id, result: { answer: 1 } });
    await settled();
    await cut(made);
    await answer(made, "initialize", { result: INTRODUCED });
    made.hall.say(ask(7, "one"), ask(8, "two"));
    await answer(made, "session/resume", { result: {} });
    await editor.until(({ lines }) => lines.length === 6);
    expect(editor.messages[5]).toMatchObject({
      method: "$/cancel_request",
      params: { requestId: shown[2]?.id },
    });
    editor.say({ id: shown[1]?.id, result: { answer: 2 } });
    await made.hall.until(({ lines }) => lines.some((line) => line.includes('"answer":2')));
    expect(asked(made).slice(2)).toMatchObject([
      { id: 7, result: { answer: 1 } },
      { id: 8, result: { answer: 2 } },
    ]);
  });

  it("reads on from what there is when the journal is another one, and says so", async () => {
    const made = await introduced();
    await cut(made);
    await answer(made, "initialize", { result: INTRODUCED });
    const data = { kind: "bad_cursor", journal: "other", cursor: 40 };
    await answer(made, "session/resume", { error: { code: -32602, message: "x", data } });
    expect(asked(made)[2]?.params._meta).toEqual({ "hall/journal": "other", "hall/cursor": 40 });
    expect(made.news).toContainEqual({ state: "torn", sessionId: "s" });
  });

  it("gives up at once when the hall does not let it in, and for no other error", async () => {
    const made = await introduced();
    const { editor, ended, news } = made;
    editor.say({ id: 2, method: "session/list", params: {} });
    await made.hall.until(({ lines }) => lines.length === 3);
    await cut(made);
    await answer(made, "initialize", {
      error: { code: -32000, message: "Full.", data: { kind: "too_many" } },
    });
    made.clock.advance(500);
    await settled();
    const error = { code: -32000, message: "No.", data: { kind: "not_authorized" } };
    await answer(made, "initialize", { error });
    expect(await ended).toBe("hall lost");
    expect(editor.messages.at(-1)).toMatchObject({ id: 2, error });
    expect(news.map(({ state }) => state)).toEqual(["lost", "trying again", "given up"]);
    expect(made.clock.pending).toBe(0);
  });

  it("tries for as long as it has patience, and no longer", async () => {
    const made = await introduced();
    const { editor, ended, news, clock } = made;
    made.refuse();
    editor.say({ id: 2, method: "session/list", params: {} });
    await made.hall.until(({ lines }) => lines.length === 3);
    made.hall.transport.destroy();
    await settled();
    for (let passed = 0; passed < TEN_MINUTES + 5_000; passed += 250) {
      clock.advance(250);
      await settled();
    }
    expect(await ended).toBe("hall lost");
    expect(editor.messages.at(-1)).toMatchObject({ id: 2, error: { code: -32603 } });
    expect(news).toMatchObject([
      { state: "lost" },
      { state: "trying again", why: "nobody there" },
      { state: "given up" },
    ]);
    expect(clock.pending).toBe(0);
  });

  it("takes a thousand messages meanwhile, and answers what is more with errors", async () => {
    const made = await introduced();
    const { editor } = made;
    made.refuse();
    made.hall.transport.destroy();
    await settled();
    for (let id = 10; id < 1_012; id++) editor.say({ id, method: "session/list", params: {} });
    await editor.until(({ lines }) => lines.length === 4);
    expect(editor.messages.slice(2).map(({ id }) => id)).toEqual([1_010, 1_011]);
  });

  it("notices that a connection is dead that nobody closed, and not when it only waits for the editor", async () => {
    const made = await introduced();
    const { clock, editor, news } = made;
    clock.advance(20_000);
    await answer(made, "_hall/ping", { result: {} });
    clock.advance(20_000);
    await settled();
    expect(news).toEqual([]);
    editor.transport.pause();
    const line = `${JSON.stringify({ jsonrpc: "2.0", method: "x", params: "x".repeat(2 ** 19) })}\n`;
    made.hall.raw(line);
    await settled();
    clock.advance(60_000);
    await settled();
    expect(news).toEqual([]);
    editor.transport.resume();
    await editor.until(({ lines }) => lines.length === 3);
    clock.advance(20_000);
    await settled();
    expect(news).toEqual([{ state: "lost" }]);
  });

  it("does not send a line again that is longer than the hall takes", async () => {
    const made = await introduced();
    const { editor } = made;
    const text = "x".repeat(2_000);
    editor.say({ id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [{ text }] } });
    await made.hall.until(({ lines }) => lines.length === 3);
    const error = { code: -32600, message: "The line exceeds 1000 bytes.", data: { limit: 1_000 } };
    made.hall.say({ id: null, error });
    await editor.until(({ lines }) => lines.length === 3);
    expect(editor.messages[2]).toMatchObject({ id: 2, error });
    await cut(made);
    await answer(made, "initialize", { result: INTRODUCED });
    await answer(made, "session/resume", { result: {} });
    expect(asked(made)).toHaveLength(2);
  });

  it("asks the next hall what one that was stopping refused", async () => {
    const made = await introduced();
    const { editor } = made;
    editor.say({ id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [] } });
    const error = { code: -32000, message: "Stopping.", data: { kind: "shutting_down" } };
    await answer(made, "session/prompt", { error });
    expect(editor.lines).toHaveLength(2);
    await cut(made);
    await answer(made, "initialize", { result: INTRODUCED });
    await answer(made, "session/resume", { result: {} });
    await answer(made, "session/prompt", { result: { stopReason: "end_turn" } });
    expect(editor.messages[2]).toMatchObject({ id: 2, result: { stopReason: "end_turn" } });
  });

  it("ends when nobody is in front any more, and when the editor has said all, while it tries to come back", async () => {
    const dropped = await introduced();
    dropped.refuse();
    dropped.hall.transport.destroy();
    await settled();
    dropped.bridge.drop();
    expect(await dropped.ended).toBe("dropped");
    expect(dropped.clock.pending).toBe(0);

    const left = await introduced();
    left.refuse();
    left.hall.transport.destroy();
    await settled();
    left.editor.say({ id: 2, method: "session/list", params: {} });
    left.editor.transport.end();
    expect(await left.ended).toBe("hall lost");
    expect(left.editor.messages.at(-1)).toMatchObject({ id: 2, error: { code: -32603 } });
    expect(left.clock.pending).toBe(0);
  });

  it("tries again when the hall does not answer who it is", async () => {
    const made = await introduced();
    await cut(made);
    const { hall } = made;
    await hall.until(({ lines }) => lines.length === 1);
    made.clock.advance(30_000);
    await settled();
    expect(hall.state).toBe("closed");
    made.clock.advance(500);
    await settled();
    expect(made.hall).not.toBe(hall);
    await answer(made, "initialize", { result: INTRODUCED });
    await answer(made, "session/resume", { result: {} });
    expect(made.news.map(({ state }) => state)).toEqual(["lost", "trying again", "back"]);
  });
});
