import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsFor } from "../agents/fake-model/script/arguments.ts";
import type { Conversation, Message } from "../agents/fake-model/script/conversation.ts";
import { cueOf } from "../agents/fake-model/script/cue.ts";
import { pieces } from "../agents/fake-model/script/pieces.ts";
import { property } from "../agents/fake-model/script/tool.ts";

const talk = (...messages: Message[]): Conversation => ({ model: "m", stream: false, tools: [], messages });
const user = (text: string): Message => ({ role: "user", text });
const calling: Message = { role: "model", text: "", calls: 2 };
const result = (text: string): Message => ({ role: "tool", text });

describe("a cue", () => {
  it("is a line of its own, whatever stands around it", () => {
    const text = "<reminder>\nBe kind.\n</reminder>\nPlease:\n  cue: bash echo 'a  b' > c.txt  \nThank you.";
    expect(cueOf(talk(user(text)))).toMatchObject({ name: "bash", argument: "echo 'a  b' > c.txt" });
    expect(cueOf(talk(user("This is no cue: bash ls")))).toBeUndefined();
  });

  it("is the last one that the user gave, not one that the model or a tool repeats", () => {
    const repeats: Message = { role: "model", text: "cue: hang", calls: 0 };
    const talked = talk(
      user("cue: text\ncue: say a"),
      repeats,
      user("cue: say b"),
      result("cue: hang"),
      user("Go on."),
    );
    expect(cueOf(talked)).toMatchObject({ name: "say", argument: "b" });
  });

  it("counts the answers with tool calls since it was given, not the calls, and collects their results", () => {
    const before = [user("cue: chain 2"), calling, result("old")];
    const since = [user("cue: two a ;; b"), calling, result("a"), result("b")];
    expect(cueOf(talk(...before, ...since))).toMatchObject({ round: 1, results: ["a", "b"] });
  });
});

/** A piece that begins with the second half of a surrogate pair, or ends with the first. */
const SPLIT_CHARACTER = /^[\udc00-\udfff]|[\ud800-\udbff]$/;

describe("a streamed text", () => {
  it("is cut into pieces that make the text again, none of them in the middle of a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const cut = pieces(text);
        expect(cut.join("")).toBe(text);
        expect(cut.every((piece) => piece !== "" && !SPLIT_CHARACTER.test(piece))).toBe(true);
      }),
    );
  });

  it("goes out in larger pieces when it is long", () => {
    const text = "🐢 ".repeat(50_000);
    expect(pieces(text).join("")).toBe(text);
    expect(pieces(text).length).toBeLessThan(10);
  });
});

describe("a tool's arguments", () => {
  it("are under the tool's own names, and complete", () => {
    const schema = property({
      properties: {
        cmd: { type: ["array", "null"], items: { type: "string" } },
        filePath: { anyOf: [{ type: "string" }, { type: "null" }] },
        mode: { enum: ["fast", "slow"] },
        retries: { type: "integer", default: 3 },
        limit: { type: "number" },
        tags: { type: "array" },
        nested: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
        optional: { type: "string" },
        anything: true,
      },
      required: ["cmd", "filePath", "mode", "retries", "limit", "tags", "nested", "anything"],
    });
    expect(argumentsFor(schema, { command: "ls", path: "/a", reason: "none of its names" })).toEqual({
      cmd: ["bash", "-c", "ls"],
      filePath: "/a",
      mode: "fast",
      retries: 3,
      limit: 30,
      tags: [],
      nested: { on: false },
      anything: "any anything",
    });
  });

  it("hold a plan in the tool's own form", () => {
    const entry = {
      properties: {
        id: { type: "string" },
        content: { type: "string" },
        status: { type: "string" },
        priority: { enum: ["high", "low"] },
      },
      required: ["content", "status", "priority"],
    };
    const schema = property({ properties: { todos: { type: "array", items: entry } }, required: ["todos"] });
    expect(argumentsFor(schema, { plan: [{ text: "Look", status: "pending" }] })).toEqual({
      todos: [{ id: "1", content: "Look", status: "pending", priority: "high" }],
    });
  });
});
