import { describe, expect, it } from "vitest";
import { A_TEXT } from "../agents/fake-model/script/scenes-of-speech.ts";
import { aFakeModel, at, joined, SHELL_SCHEMA, textAt } from "./asking.ts";

const model = aFakeModel();
const PATH = "/v1/messages";
const TOOLS = [{ name: "Bash", input_schema: SHELL_SCHEMA }];

const request = (text: string, more: object = {}) => ({
  model: "some-model",
  max_tokens: 100,
  tools: TOOLS,
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  ...more,
});

const ofType = (events: unknown[], type: string): unknown[] =>
  events.filter((event) => at(event, "type") === type);
const deltas = (events: unknown[], field: string): string =>
  joined(ofType(events, "content_block_delta"), `delta.${field}`);

describe("the fake model, by Anthropic's messages API", () => {
  it("streams a text in several pieces, between the start and the stop of its block", async () => {
    const events = await model.events(PATH, request("cue: text", { stream: true }));
    expect(events.map((event) => at(event, "type")).filter((type) => type !== "content_block_delta")).toEqual(
      ["message_start", "ping", "content_block_start", "content_block_stop", "message_delta", "message_stop"],
    );
    expect(ofType(events, "content_block_delta").length).toBeGreaterThan(3);
    expect(deltas(events, "text")).toBe(A_TEXT);
    expect(joined(ofType(events, "message_delta"), "delta.stop_reason")).toBe("end_turn");
  });

  it("names each event as its data does", async () => {
    const text = await (await model.post(PATH, request("cue: say hi", { stream: true }))).text();
    for (const event of text.trimEnd().split("\n\n")) {
      expect(event).toMatch(/^event: (\w+)\ndata: \{"type":"\1"/);
    }
  });

  it("streams a thought with a signature, then the text", async () => {
    const events = await model.events(PATH, request("cue: think", { stream: true }));
    expect(ofType(events, "content_block_start").map((event) => at(event, "content_block.type"))).toEqual([
      "thinking",
      "text",
    ]);
    expect(deltas(events, "thinking")).toContain("First one thought");
    expect(deltas(events, "signature")).not.toBe("");
    expect(deltas(events, "text")).toBe("That was thought through.");
  });

  it("streams a tool call's arguments as JSON", async () => {
    const events = await model.events(PATH, request("cue: bash ls -l", { stream: true }));
    expect(at(ofType(events, "content_block_start"), "1.content_block")).toMatchObject({
      type: "tool_use",
      name: "Bash",
      input: {},
    });
    expect(JSON.parse(deltas(events, "partial_json"))).toEqual({
      command: "ls -l",
      description: "any description",
    });
    expect(joined(ofType(events, "message_delta"), "delta.stop_reason")).toBe("tool_use");
  });

  it("answers a tool's result with what the tool said, streamed or not", async () => {
    const answer = await model.document(PATH, request("cue: bash ls"));
    expect(at(answer, "stop_reason")).toBe("tool_use");
    const messages = [
      { role: "user", content: "cue: bash ls" },
      { role: "assistant", content: at(answer, "content") },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: textAt(answer, "content.1.id"),
            content: [{ type: "text", text: "README.md" }],
          },
          { type: "text", text: "A reminder without a cue." },
        ],
      },
    ];
    const after = await model.document(PATH, request("", { messages }));
    expect(at(after, "content")).toEqual([{ type: "text", text: "The tools answered: README.md" }]);
    const streamed = await model.events(PATH, request("", { messages, stream: true }));
    expect(deltas(streamed, "text")).toBe("The tools answered: README.md");
  });

  it("counts tokens", async () => {
    expect(await model.document(`${PATH}/count_tokens`, request("cue: text"))).toEqual({ input_tokens: 100 });
  });

  it("fails with the status of the cue, in the API's own words", async () => {
    const response = await model.post(PATH, request("cue: error 529"));
    expect(response.status).toBe(529);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
  });

  it("refuses a body that is no such request, and says why", async () => {
    const response = await model.post(PATH, { model: "some-model" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: "invalid_request_error", message: expect.stringContaining("messages") },
    });
  });
});
