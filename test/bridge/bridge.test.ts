import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bridged, settled } from "./two-ends.ts";

const initialize = { id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };

describe("a bridge", () => {
  it("passes notifications of either side on as they came", async () => {
    const text = fc.string({ unit: "grapheme" });
    const line = text.map(
      (words) => ` { "params":{"n":1.50,"words":${JSON.stringify(words)}} , "method":"x", "jsonrpc":"2.0"}`,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1 }),
        fc.array(line, { minLength: 1 }),
        async (asked, told) => {
          const { editor, hall } = bridged("s");
          editor.raw(asked.map((text) => `${text}\n`).join(""));
          hall.raw(told.map((text) => `${text}\n`).join(""));
          await hall.until(({ lines }) => lines.length >= asked.length);
          await editor.until(({ lines }) => lines.length >= told.length);
          expect(hall.lines).toEqual(asked);
          expect(editor.lines).toEqual(told);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("says in initialize who it is, that it counts all lines, and the slot that was chosen", async () => {
    const { editor, hall } = bridged("claude");
    editor.raw(
      '{ "jsonrpc":"2.0", "id":1e0, "method":"initialize","params":{"protocolVersion":1.0,"x":"\\u00e9"}}\n',
    );
    await hall.until(({ lines }) => lines.length > 0);
    const [line = ""] = hall.lines;
    const { _meta } = JSON.parse(line).params;
    expect(_meta).toEqual({
      "hall/slot": "claude",
      "hall/echo": true,
      "hall/client": expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    // Every other byte is as it came.
    expect(line.replace(/"_meta":\{[^}]*\},/, "")).toBe(
      '{ "jsonrpc":"2.0", "id":1e0, "method":"initialize","params":{"protocolVersion":1.0,"x":"\\u00e9"}}',
    );
  });

  it("gives each prompt and each new session a key, and nothing else one", async () => {
    const { editor, hall } = bridged();
    editor.say(
      { id: 1, method: "session/new", params: { cwd: "/" } },
      { id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [], _meta: { mine: 1 } } },
      { id: 3, method: "session/prompt", params: { sessionId: "s", _meta: { "hall/turn": "own" } } },
      { id: 4, method: "session/list", params: {} },
    );
    await hall.until(({ lines }) => lines.length > 3);
    const key = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(hall.lines.map((line) => JSON.parse(line).params._meta)).toEqual([
      { "hall/key": key },
      { mine: 1, "hall/turn": key },
      { "hall/turn": "own" },
      undefined,
    ]);
  });

  it("answers what is no message itself", async () => {
    const { editor, hall } = bridged();
    editor.raw("nonsense\n[]\n");
    editor.say({ id: 5, method: "session/list" });
    await editor.until(({ lines }) => lines.length === 2);
    await hall.until(({ lines }) => lines.length === 1);
    expect(editor.messages).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  it("tells what the hall said of itself in its answer to initialize", async () => {
    const { editor, hall, met } = bridged();
    editor.say(initialize);
    await hall.until(({ lines }) => lines.length > 0);
    hall.say({ id: 0, result: { agentInfo: { name: "hall", version: "9.9.9" } } });
    await editor.until(({ lines }) => lines.length > 0);
    expect(met).toEqual([{ name: "hall", version: "9.9.9" }]);
  });

  it("answers everything that is open with an error when the hall is lost", async () => {
    const { editor, hall, ended } = bridged();
    editor.say({ id: 1, method: "a" }, { id: "1", method: "b" }, { id: 2, method: "c" }, { method: "n" });
    editor.say({ id: null, method: "d" });
    await hall.until(({ lines }) => lines.length === 5);
    hall.say({ id: 2, result: {} });
    hall.say({ id: 1, method: "session/request_permission", params: {} });
    await editor.until(({ lines }) => lines.length === 2);
    hall.transport.destroy();
    expect(await ended).toBe("hall lost");
    await editor.until(({ state }) => state !== "open");
    const answers = editor.messages.slice(2);
    expect(answers.map(({ id }) => id)).toEqual([1, "1", null]);
    for (const { error } of answers)
      expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/lost/) });
  });

  it("refuses an id that is still open, and the first one is unaffected", async () => {
    const { editor, hall } = bridged();
    editor.say({ id: 1, method: "a" }, { id: 1, method: "b" });
    await editor.until(({ lines }) => lines.length === 1);
    expect(editor.messages).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    await hall.until(({ lines }) => lines.length === 1);
    hall.say({ id: 1, result: { of: "a" } });
    await editor.until(({ lines }) => lines.length === 2);
    expect(editor.messages[1]).toMatchObject({ id: 1, result: { of: "a" } });
  });

  it("gives the editor no half line of a hall that was killed while it wrote", async () => {
    const { editor, hall, ended } = bridged();
    editor.say({ id: 1, method: "a" });
    await hall.until(({ lines }) => lines.length === 1);
    hall.raw('{"jsonrpc":"2.0","method":"whole"}\n{"jsonrpc":"2.0","id":1,"resu');
    await editor.until(({ lines }) => lines.length === 1);
    hall.transport.destroy();
    await ended;
    await editor.until(({ state }) => state !== "open");
    expect(editor.messages).toMatchObject([{ method: "whole" }, { id: 1, error: {} }]);
  });

  it("goes on until what is open is answered when the editor has said all", async () => {
    const { editor, hall, ended } = bridged();
    // Its last line may lack its end.
    editor.raw('{"jsonrpc":"2.0","id":1,"method":"a"}\n{"jsonrpc":"2.0","id":2,"method":"b"}');
    editor.transport.end();
    await hall.until(({ state }) => state === "ended");
    expect(hall.lines).toHaveLength(2);
    hall.say({ id: 2, result: {} }, { id: 1, result: {} });
    hall.transport.end();
    expect(await ended).toBe("editor left");
    await editor.until(({ state }) => state !== "open");
    expect(editor.messages.map(({ id }) => id)).toEqual([2, 1]);
  });

  it("says so when the hall is lost although the editor has said all", async () => {
    const { editor, hall, ended } = bridged();
    editor.say({ id: 1, method: "a" });
    editor.transport.end();
    await hall.until(({ state }) => state === "ended");
    hall.transport.destroy();
    expect(await ended).toBe("hall lost");
    await editor.until(({ state }) => state !== "open");
    expect(editor.messages).toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });

  it("lets go of both sides when it is dropped", async () => {
    const { bridge, editor, hall, ended } = bridged();
    bridge.drop();
    expect(await ended).toBe("dropped");
    await editor.until(({ state }) => state === "closed");
    await hall.until(({ state }) => state === "closed");
  });

  it("does not read a hall whose lines the editor does not take", async () => {
    const { editor, hall } = bridged();
    const line = Buffer.from(`${"x".repeat(64 * 1024)}\n`);
    editor.transport.pause();
    let sent = 0;
    while (hall.transport.backlog === 0) {
      hall.transport.write(line);
      sent++;
      await settled();
      expect(sent).toBeLessThan(100);
    }
    editor.transport.resume();
    await editor.until(({ lines }) => lines.length === sent);
    expect(hall.transport.backlog).toBe(0);
  });

  it("does not read an editor whose lines the hall does not take", async () => {
    const { editor, hall } = bridged();
    const params = { text: "x".repeat(64 * 1024) };
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", method: "n", params })}\n`);
    hall.transport.pause();
    let sent = 0;
    while (editor.transport.backlog === 0) {
      editor.transport.write(line);
      sent++;
      await settled();
      expect(sent).toBeLessThan(100);
    }
    // The other direction is open all the while.
    hall.say({ method: "news" });
    await editor.until(({ lines }) => lines.length === 1);
    hall.transport.resume();
    await hall.until(({ lines }) => lines.length === sent);
  });
});
