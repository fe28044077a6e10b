import { describe, expect, it } from "vitest";
import { A_TEXT } from "../agents/fake-model/script/scenes-of-speech.ts";
import { aFakeModel, at, joined, listAt, textAt } from "./asking.ts";

const model = aFakeModel();
const PATH = "/v1/responses";
const EXEC = {
  type: "function",
  name: "exec_command",
  parameters: {
    type: "object",
    properties: {
      cmd: { type: "string" },
      sandbox_permissions: { type: "string" },
      justification: { type: "string" },
    },
    required: ["cmd"],
  },
};
const TOOLS = [EXEC, { type: "custom", name: "apply_patch" }, { type: "web_search" }];

const request = (text: string, more: object = {}) => ({
  model: "some-model",
  tools: TOOLS,
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text }] }],
  ...more,
});

const streamed = (text: string, more: object = {}): Promise<unknown[]> =>
  model.events(PATH, request(text, { stream: true, ...more }));
const ofType = (events: unknown[], type: string): unknown[] =>
  events.filter((event) => at(event, "type") === type);
const deltas = (events: unknown[], type: string): string => joined(ofType(events, type), "delta");
const items = (events: unknown[]): unknown[] => listAt(events.at(-1), "response.output");

describe("the fake model, by OpenAI's responses API", () => {
  it("numbers its events, from response.created to response.completed", async () => {
    const events = await streamed("cue: text");
    expect(events.map((event) => at(event, "sequence_number"))).toEqual(events.map((_, index) => index));
    expect(at(events[0], "type")).toBe("response.created");
    expect(at(events.at(-1), "type")).toBe("response.completed");
    expect(at(events.at(-1), "response.id")).toBe(at(events[0], "response.id"));
  });

  it("streams a text that is the same in its deltas, its end and the whole response", async () => {
    const events = await streamed("cue: text");
    expect(deltas(events, "response.output_text.delta")).toBe(A_TEXT);
    expect(joined(ofType(events, "response.output_text.done"), "text")).toBe(A_TEXT);
    expect(at(items(events), "0.content.0.text")).toBe(A_TEXT);
  });

  it("streams reasoning as a summary, before the message", async () => {
    const events = await streamed("cue: think");
    expect(deltas(events, "response.reasoning_summary_text.delta")).toContain("First one thought");
    expect(items(events).map((item) => at(item, "type"))).toEqual(["reasoning", "message"]);
  });

  it("asks for escalation with bash, and not with bash-inside", async () => {
    const call = items(await streamed("cue: bash ls"))[1];
    expect(call).toMatchObject({ type: "function_call", name: "exec_command" });
    expect(JSON.parse(textAt(call, "arguments"))).toMatchObject({
      cmd: "ls",
      sandbox_permissions: "require_escalated",
      justification: expect.any(String),
    });
    const [inside] = items(await streamed("cue: bash-inside ls"));
    expect(JSON.parse(textAt(inside, "arguments"))).toEqual({ cmd: "ls" });
  });

  it("writes and edits by a patch, the text of a custom tool", async () => {
    const events = await streamed("cue: write notes.txt");
    const patch = deltas(events, "response.custom_tool_call_input.delta");
    expect(patch).toBe(
      "*** Begin Patch\n*** Add File: notes.txt\n+first line\n+second line\n*** End Patch\n",
    );
    expect(items(events)[0]).toMatchObject({ type: "custom_tool_call", name: "apply_patch", input: patch });
    const [edit] = items(await streamed("cue: edit notes.txt"));
    expect(textAt(edit, "input")).toContain("*** Update File: notes.txt\n@@\n-alpha\n+beta\n");
  });

  it("names the namespace of a tool that was listed in one", async () => {
    const tools = [{ type: "namespace", name: "shell", tools: [EXEC] }];
    const [, call] = items(await streamed("cue: bash ls", { tools }));
    expect(call).toMatchObject({ name: "exec_command", namespace: "shell" });
  });

  it("takes the calls of one answer for one round, and reports what they all said", async () => {
    const answer = await model.document(PATH, request("cue: two echo a ;; echo b"));
    const input = [
      { role: "user", content: "cue: two echo a ;; echo b" },
      ...listAt(answer, "output"),
      ...listAt(answer, "output").map((call, index) => ({
        type: "function_call_output",
        call_id: at(call, "call_id"),
        output: `result ${index}`,
      })),
    ];
    const after = await model.document(PATH, request("", { input }));
    expect(at(after, "output.0.content.0.text")).toBe("The tools answered: result 0 | result 1");
    expect(at(after, "status")).toBe("completed");
  });

  it("takes a bare string as the prompt", async () => {
    const answer = await model.document(PATH, request("", { input: "cue: say hi" }));
    expect(at(answer, "output.0.content.0.text")).toBe("hi");
  });
});
