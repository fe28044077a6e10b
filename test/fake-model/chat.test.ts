import { describe, expect, it } from "vitest";
import { A_TEXT } from "../agents/fake-model/script/scenes-of-speech.ts";
import { aFakeModel, type Json, SHELL_SCHEMA } from "./asking.ts";

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

const choice = (event: Json): Json => event.choices?.[0] ?? {};
const joined = (events: Json[], field: string): string =>
  events.map((event) => choice(event).delta?.[field] ?? "").join("");

describe("the fake model, by OpenAI's chat completions API", () => {
  it("streams a text in several chunks, then the reason it stopped, then [DONE]", async () => {
    const events = await model.events(PATH, request("cue: text", { stream: true }));
    expect(events.at(-1)).toBe("[DONE]");
    expect(choice(events[0]).delta).toEqual({ role: "assistant", content: "" });
    expect(joined(events, "content")).toBe(A_TEXT);
    expect(choice(events.at(-2)).finish_reason).toBe("stop");
    expect(new Set(events.slice(0, -1).map((event) => event.id)).size).toBe(1);
  });

  it("tells the usage at the end of a stream only when it is asked to", async () => {
    const asked = request("cue: say hi", { stream: true, stream_options: { include_usage: true } });
    expect((await model.events(PATH, asked)).at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 100 },
    });
    const events = await model.events(PATH, request("cue: say hi", { stream: true }));
    expect(events.some((event) => event.usage)).toBe(false);
  });

  it("streams reasoning beside the content", async () => {
    const events = await model.events(PATH, request("cue: think", { stream: true }));
    expect(joined(events, "reasoning_content")).toContain("First one thought");
    expect(joined(events, "content")).toBe("That was thought through.");
  });

  it("streams two calls of one answer under their indices", async () => {
    const events = await model.events(PATH, request("cue: two echo a ;; echo b", { stream: true }));
    const parts = events.flatMap((event) => choice(event).delta?.tool_calls ?? []);
    const commandOf = (index: number): Json =>
      JSON.parse(
        parts
          .filter((part) => part.index === index)
          .map((part) => part.function.arguments)
          .join(""),
      ).command;
    expect([commandOf(0), commandOf(1)]).toEqual(["echo a", "echo b"]);
    expect(new Set(parts.flatMap((part) => part.id ?? [])).size).toBe(2);
    expect(choice(events.at(-2)).finish_reason).toBe("tool_calls");
  });

  it("plays a chain of calls to its end, one answer after another", async () => {
    const messages: Json[] = [{ role: "user", content: "cue: chain 3" }];
    const commands: string[] = [];
    for (;;) {
      const { choices } = await model.document(PATH, request("", { messages }));
      const { message } = choices[0];
      if (!message.tool_calls) {
        expect(message.content).toBe("The tools answered: link 0 | link 1 | link 2");
        break;
      }
      const [call] = message.tool_calls;
      commands.push(JSON.parse(call.function.arguments).command);
      messages.push(message, { role: "tool", tool_call_id: call.id, content: `link ${commands.length - 1}` });
    }
    expect(commands).toEqual(["echo link 0", "echo link 1", "echo link 2"]);
  });

  it("fails with the status of the cue, in the API's own words", async () => {
    const response = await model.post(PATH, request("cue: error 429"));
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { type: "rate_limit_error", code: "429" } });
  });
});
