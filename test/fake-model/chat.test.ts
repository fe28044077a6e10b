import { describe, expect, it } from "vitest";
import { A_TEXT } from "../agents/fake-model/script/scenes-of-speech.ts";
import { aFakeModel, at, joined, listAt, SHELL_SCHEMA, textAt } from "./asking.ts";

const model = aFakeModel();
const PATH = "/v1/chat/completions";
const TOOLS = [{ type: "function", function: { name: "bash", parameters: SHELL_SCHEMA } }];

const request = (content: string, more: object = {}) => ({
  model: "some-model",
  tools: TOOLS,
  messages: [
    { role: "system", content: "cue: text is what a system message never is" },
    { role: "user", content },
  ],
  ...more,
});

const CONTENT = "choices.0.delta.content";
const FINISH = "choices.0.finish_reason";

describe("the fake model, by OpenAI's chat completions API", () => {
  it("streams a text in several chunks, then the reason it stopped, then [DONE]", async () => {
    const events = await model.events(PATH, request("cue: text", { stream: true }));
    expect(events.at(-1)).toBe("[DONE]");
    expect(at(events, "0.choices.0.delta")).toEqual({ role: "assistant", content: "" });
    expect(joined(events, CONTENT)).toBe(A_TEXT);
    expect(at(events.at(-2), FINISH)).toBe("stop");
    expect(new Set(events.slice(0, -1).map((event) => at(event, "id"))).size).toBe(1);
  });

  it("tells the usage at the end of a stream only when it is asked to", async () => {
    const asked = request("cue: say hi", { stream: true, stream_options: { include_usage: true } });
    expect((await model.events(PATH, asked)).at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 100 },
    });
    const events = await model.events(PATH, request("cue: say hi", { stream: true }));
    expect(events.some((event) => at(event, "usage"))).toBe(false);
  });

  it("streams reasoning beside the content", async () => {
    const events = await model.events(PATH, request("cue: think", { stream: true }));
    expect(joined(events, "choices.0.delta.reasoning_content")).toContain("First one thought");
    expect(joined(events, CONTENT)).toBe("That was thought through.");
  });

  it("streams two calls of one answer under their indices", async () => {
    const events = await model.events(PATH, request("cue: two echo a ;; echo b", { stream: true }));
    const parts = events.flatMap((event) => listAt(event, "choices.0.delta.tool_calls"));
    const commandOf = (index: number): unknown => {
      const own = parts.filter((part) => at(part, "index") === index);
      return JSON.parse(joined(own, "function.arguments")).command;
    };
    expect([commandOf(0), commandOf(1)]).toEqual(["echo a", "echo b"]);
    expect(new Set(parts.flatMap((part) => at(part, "id") ?? [])).size).toBe(2);
    expect(at(events.at(-2), FINISH)).toBe("tool_calls");
  });

  it("plays a chain of calls to its end, one answer after another", async () => {
    const messages: unknown[] = [{ role: "user", content: "cue: chain 3" }];
    const commands: string[] = [];
    for (;;) {
      const message = at(await model.document(PATH, request("", { messages })), "choices.0.message");
      const [call] = listAt(message, "tool_calls");
      if (call === undefined) {
        expect(at(message, "content")).toBe("The tools answered: link 0 | link 1 | link 2");
        break;
      }
      const content = `link ${commands.length}`;
      commands.push(JSON.parse(textAt(call, "function.arguments")).command);
      messages.push(message, { role: "tool", tool_call_id: at(call, "id"), content });
    }
    expect(commands).toEqual(["echo link 0", "echo link 1", "echo link 2"]);
  });

  it("fails with the status of the cue, in the API's own words", async () => {
    const response = await model.post(PATH, request("cue: error 429"));
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { type: "rate_limit_error", code: "429" } });
  });
});
