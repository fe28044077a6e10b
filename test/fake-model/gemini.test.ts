import { describe, expect, it } from "vitest";
import { A_TEXT } from "../agents/fake-model/script/scenes-of-speech.ts";
import { aFakeModel, at, joined, listAt } from "./asking.ts";

const model = aFakeModel();
const STREAM = "/v1beta/models/some-model:streamGenerateContent?alt=sse";
const WHOLE = "/v1beta/models/some-model:generateContent";
const TOOLS = [
  {
    functionDeclarations: [
      {
        name: "run_shell_command",
        parameters: {
          type: "OBJECT",
          properties: { command: { type: "STRING" }, background: { type: "BOOLEAN" } },
          required: ["command", "background"],
        },
      },
    ],
  },
];

const request = (text: string, more: object = {}) => ({
  tools: TOOLS,
  contents: [{ role: "user", parts: [{ text }] }],
  ...more,
});
const parts = (events: unknown[]): unknown[] =>
  events.flatMap((event) => listAt(event, "candidates.0.content.parts"));

describe("the fake model, by the Gemini API", () => {
  it("streams a text in several chunks and stops", async () => {
    const events = await model.events(STREAM, request("cue: text"));
    expect(events.length).toBeGreaterThan(3);
    expect(joined(parts(events), "text")).toBe(A_TEXT);
    expect(events.flatMap((event) => at(event, "candidates.0.finishReason") ?? [])).toEqual(["STOP"]);
    expect(at(events[0], "modelVersion")).toBe("some-model");
  });

  it("marks what is thought", async () => {
    const all = parts(await model.events(STREAM, request("cue: think")));
    const aloud = all.filter((part) => at(part, "thought") !== true);
    expect(aloud.length).toBeLessThan(all.length);
    expect(joined(aloud, "text")).toBe("That was thought through.");
  });

  it("fills a schema whose types are in capitals", async () => {
    const all = parts(await model.events(STREAM, request("cue: bash ls")));
    expect(all.flatMap((part) => at(part, "functionCall") ?? [])[0]).toMatchObject({
      name: "run_shell_command",
      args: { command: "ls", background: false },
    });
  });

  it("reads a schema in the newer field too", async () => {
    const tools = [
      {
        functionDeclarations: [
          {
            name: "read_file",
            parametersJsonSchema: { type: "object", properties: { file_path: { type: "string" } } },
          },
        ],
      },
    ];
    const [part] = parts([await model.document(WHOLE, request("cue: read /a/b", { tools }))]);
    expect(at(part, "functionCall")).toMatchObject({ name: "read_file", args: { file_path: "/a/b" } });
  });

  it("answers a tool's response with what it said", async () => {
    const contents = [
      { role: "user", parts: [{ text: "cue: bash ls" }] },
      { role: "model", parts: [{ functionCall: { name: "run_shell_command", args: {} } }] },
      {
        role: "user",
        parts: [{ functionResponse: { name: "run_shell_command", response: { output: "README.md" } } }],
      },
    ];
    const [part] = parts([await model.document(WHOLE, request("", { contents }))]);
    expect(at(part, "text")).toBe("The tools answered: README.md");
  });

  it("counts tokens and fails in the API's own words", async () => {
    expect(await model.document("/v1beta/models/some-model:countTokens", request("cue: text"))).toEqual({
      totalTokens: 100,
    });
    const response = await model.post(STREAM, request("cue: error 429"));
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: 429, status: "RESOURCE_EXHAUSTED" } });
  });
});
