import { describe, expect, it } from "vitest";
import { acpSchema } from "./acp-schema.ts";
import { type Direction, SchemaCheck } from "./schema-check.ts";

/** What is wrong with a line, or nothing; `sent` are lines of the other side before it. */
function wrong(direction: Direction, line: unknown, ...sent: unknown[]): string | undefined {
  const check = new SchemaCheck(direction);
  for (const message of sent) check.sent(message);
  check.checkLine(line);
  return check.violations[0]?.why;
}

const message = (fields: object) => ({ jsonrpc: "2.0", ...fields });
const update = (fields: object) =>
  message({ method: "session/update", params: { sessionId: "s", update: fields } });
const chunk = update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } });
const prompt = message({ id: 1, method: "session/prompt", params: {} });
const result = (value: unknown, id: unknown = 1) => message({ id, result: value });
const error = (value: unknown, id: unknown = 1) => message({ id, error: value });

describe("a line to a client", () => {
  it.each([
    ["an update", chunk],
    ["an update with fields that nobody knows", { ...chunk, extra: 1 }],
    ["an extension", message({ method: "_vendor/x", params: 5 })],
    ["a withdrawal", message({ method: "$/cancel_request", params: { requestId: 3 } })],
    ["an error that answers no line", error({ code: -32700, message: "No JSON." }, null)],
    [
      "a question",
      message({
        id: 4,
        method: "session/request_permission",
        params: {
          sessionId: "s",
          toolCall: { toolCallId: "t" },
          options: [{ optionId: "a", name: "A", kind: "allow_once" }],
        },
      }),
    ],
  ])("is right: %s", (_name, line) => {
    expect(wrong("hall->client", line)).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    ["an unknown kind of update", update({ sessionUpdate: "plan_update" }), /sessionUpdate/],
    ["a chunk without content", update({ sessionUpdate: "agent_message_chunk" }), /content/],
    [
      "a wrong enumeration",
      update({ sessionUpdate: "tool_call", toolCallId: "t", title: "", kind: "x" }),
      /kind/,
    ],
    ["an update that is a request", { ...chunk, id: 1 }, /no request/],
    [
      "a question that is a notification",
      message({ method: "session/request_permission" }),
      /no notification/,
    ],
    ["a method of agents", prompt, /"session\/prompt", which is no request/],
    ["a method that nobody has", message({ method: "foo/bar" }), /foo\/bar/],
    ["a message without jsonrpc", { method: "_x" }, /jsonrpc/],
    ["a fractional id", message({ id: 1.5, method: "_x" }), /id/],
    ["an integer id that JSON cannot carry", message({ id: 2 ** 53, method: "_x" }), /id/],
    ["an answer to nothing", result({ stopReason: "end_turn" }), /not open/],
    ["an id without anything", message({ id: 1 }), /result and error/],
    ["nothing at all", message({}), /neither/],
    ["a number", 42, /no JSON object/],
    ["an array", [chunk], /no JSON object/],
  ])("is wrong: %s", (_name, line, why) => {
    expect(wrong("hall->client", line)).toMatch(why);
  });

  it("is held against the method whose request it answers", () => {
    expect(wrong("hall->client", result({ stopReason: "end_turn" }), prompt)).toBeUndefined();
    expect(wrong("hall->client", result({ stopReason: "done" }), prompt)).toMatch(/stopReason/);
    expect(wrong("hall->client", result(null), prompt)).toMatch(/object/);
    const list = message({ id: "l", method: "session/list" });
    expect(wrong("hall->client", result({ sessions: [] }, "l"), list)).toBeUndefined();
    expect(wrong("hall->client", result({}, "l"), list)).toMatch(/sessions/);
    const other = message({ id: 1, method: "foo/bar" });
    expect(wrong("hall->client", result({}), other)).toMatch(/foo\/bar/);
    expect(wrong("hall->client", result({ any: "thing" }), message({ id: 1, method: "_x" }))).toBeUndefined();
  });

  it("carries the id of the request in its own type", () => {
    expect(wrong("hall->client", result({ stopReason: "end_turn" }, "1"), prompt)).toMatch(/not open/);
  });

  it("answers once, and as often as an id was used", () => {
    const answer = result({ stopReason: "end_turn" });
    const check = new SchemaCheck("hall->client");
    check.sent(prompt);
    check.sent(prompt);
    check.checkLine(answer);
    check.checkLine(error({ code: -32600, message: "Twice." }));
    expect(check.violations).toEqual([]);
    check.checkLine(answer);
    expect(check.violations).toHaveLength(1);
  });

  it.each([
    ["without a code", { message: "No." }],
    ["with a code that is no integer", { code: 1.5, message: "No." }],
    ["without a message", { code: 1 }],
    ["with an empty message", { code: 1, message: "" }],
    ["with a message of two lines", { code: 1, message: "No.\nNever." }],
  ])("is no error %s", (_name, body) => {
    expect(wrong("hall->client", error(body), prompt)).toBeDefined();
  });

  it("is no error and result at once", () => {
    expect(
      wrong("hall->client", { ...result({}), error: { code: 1, message: "No." } }, prompt),
    ).toBeDefined();
  });

  it("may be what it likes when the test exempts it, and still answers its request", () => {
    const check = new SchemaCheck("hall->client");
    check.exempt(({ result: value }) => value === "nonsense");
    check.sent(prompt);
    check.checkLine(result("nonsense"));
    expect(check.violations).toEqual([]);
    check.checkLine(result({ stopReason: "end_turn" }));
    expect(check.violations).toHaveLength(1);
  });
});

describe("a line to an agent", () => {
  const initialize = message({ id: 0, method: "initialize", params: { protocolVersion: 1 } });

  it("is a method of agents, with its params", () => {
    expect(wrong("hall->agent", initialize)).toBeUndefined();
    expect(wrong("hall->agent", { ...initialize, params: {} })).toMatch(/protocolVersion/);
    expect(wrong("hall->agent", { ...initialize, params: { protocolVersion: 65536 } })).toBeDefined();
    expect(
      wrong("hall->agent", message({ method: "session/cancel", params: { sessionId: "s" } })),
    ).toBeUndefined();
    expect(wrong("hall->agent", message({ id: 1, method: "session/cancel", params: {} }))).toMatch(
      /no request/,
    );
    const withoutServers = message({ id: 1, method: "session/new", params: { cwd: "/" } });
    expect(wrong("hall->agent", withoutServers)).toMatch(/mcpServers/);
    expect(wrong("hall->agent", chunk)).toMatch(/session\/update/);
  });

  it("answers the agent's own requests as a client does", () => {
    const read = message({ id: 1, method: "fs/read_text_file" });
    expect(wrong("hall->agent", result({ content: "" }), read)).toBeUndefined();
    expect(wrong("hall->agent", result({}), read)).toMatch(/content/);
    const ask = message({ id: 1, method: "session/request_permission" });
    expect(wrong("hall->agent", result({ outcome: { outcome: "cancelled" } }), ask)).toBeUndefined();
    expect(wrong("hall->agent", result({ outcome: { outcome: "selected" } }), ask)).toMatch(/optionId/);
  });
});

describe("the schema", () => {
  it("knows every method of ACP v1 on its side, and compiles what it knows", () => {
    const requests = {
      agent: [
        "initialize",
        "authenticate",
        "logout",
        "session/new",
        "session/load",
        "session/resume",
        "session/list",
        "session/close",
        "session/delete",
        "session/set_mode",
        "session/set_config_option",
        "session/prompt",
      ],
      client: [
        "session/request_permission",
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/wait_for_exit",
        "terminal/kill",
        "terminal/release",
        "elicitation/create",
      ],
    };
    for (const side of ["agent", "client"] as const) {
      for (const method of requests[side]) {
        expect(acpSchema().request(side, method)?.("no object"), method).toMatch(/object/);
        expect(acpSchema().response(side, method)?.("no object"), method).toMatch(/object/);
      }
    }
    expect(acpSchema().notification("agent", "session/cancel")?.({ sessionId: "s" })).toBeUndefined();
    expect(
      acpSchema().notification("client", "elicitation/complete")?.({ elicitationId: "e" }),
    ).toBeUndefined();
    expect(acpSchema().request("client", "session/prompt")).toBeUndefined();
  });
});
