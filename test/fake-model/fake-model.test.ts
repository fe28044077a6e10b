import { describe, expect, it } from "vitest";
import type { Exchange } from "../agents/fake-model/exchange.ts";
import { A_TITLE } from "../agents/fake-model/script/play.ts";
import { aFakeModel, at, SHELL_SCHEMA, textAt } from "./asking.ts";

const model = aFakeModel();
const PATH = "/v1/chat/completions";
const TOOLS = [{ type: "function", function: { name: "bash", parameters: SHELL_SCHEMA } }];

const request = (content: string, more: object = {}) => ({
  model: "some-model",
  tools: TOOLS,
  messages: [{ role: "user", content }],
  ...more,
});
const answerTo = async (content: string, more: object = {}): Promise<string> => {
  return textAt(await model.document(PATH, request(content, more)), "choices.0.message.content");
};
const cueIs = (name: string, argument: string) => (exchange: Exchange) =>
  exchange.asked?.cue?.name === name && exchange.asked.cue.argument === argument;

describe("the fake model", () => {
  it("says so when there is no cue, and names the scenes when there is no such one", async () => {
    expect(await answerTo("hello")).toBe("There is no cue in this conversation.");
    expect(await answerTo("cue: juggle")).toMatch(/no scene "juggle"; there are: .*\bslow\b.*\bbash\b/);
  });

  it("says so when the agent has no tool for what it is to do", async () => {
    expect(await answerTo("cue: write x.txt")).toBe("This agent has no tool to write with, only bash.");
  });

  it("answers a request without tools with a title, and plays no scene for it", async () => {
    expect(await answerTo("Give this a title:\ncue: slow 1000", { tools: [] })).toBe(A_TITLE);
  });

  it("tells which tools it was offered", async () => {
    expect(await answerTo("cue: tools")).toBe("bash");
  });

  it("calls any tool by its name, with the arguments of the cue", async () => {
    const answer = await model.document(PATH, request('cue: tool think_hard {"topic": {"depth": [1]}}'));
    expect(at(answer, "choices.0.message.tool_calls.0.function")).toEqual({
      name: "think_hard",
      arguments: '{"topic":{"depth":[1]}}',
    });
  });

  it("answers a cue that cannot be played with an error that says why", async () => {
    const response = await model.post(PATH, request("cue: tool think_hard {oops"));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("JSON") } });
  });

  it("says a long answer whole", async () => {
    const text = await answerTo("cue: big 100");
    expect(Buffer.byteLength(text)).toBe(100 * 1024);
  });

  it("breaks off in mid-stream when the cue says so", async () => {
    const response = await model.post(PATH, request("cue: cut", { stream: true }));
    await expect(response.text()).rejects.toThrow();
  });

  it("streams slow words one by one, and sees when the client hangs up", async () => {
    const hangUp = new AbortController();
    const response = await model.post(PATH, request("cue: slow 999", { stream: true }), hangUp.signal);
    const reader = response.body?.getReader();
    let seen = "";
    while (!seen.includes("word-1 ")) seen += new TextDecoder().decode((await reader?.read())?.value);
    expect(seen).not.toContain("word-998 ");
    hangUp.abort();
    const { ended } = await model.until((it) => cueIs("slow", "999")(it) && it.ended !== undefined);
    expect(ended).toBe("hung up");
  });

  it("sees a client hang up that never got a word", async () => {
    const hangUp = new AbortController();
    const asked = model.post(PATH, request("cue: hang"), hangUp.signal);
    await model.until(cueIs("hang", ""));
    hangUp.abort();
    await expect(asked).rejects.toThrow();
    const { ended } = await model.until((it) => cueIs("hang", "")(it) && it.ended !== undefined);
    expect(ended).toBe("hung up");
  });

  it("records what was asked, without the secrets in the headers", async () => {
    await answerTo("cue: say recorded");
    const exchange = await model.until((it) => cueIs("say", "recorded")(it) && it.ended === "answered");
    expect(exchange).toMatchObject({
      method: "POST",
      path: PATH,
      headers: { "content-type": "application/json" },
      body: { model: "some-model" },
      asked: { api: "chat", conversation: { messages: [{ role: "user", text: "cue: say recorded" }] } },
    });
    expect(JSON.stringify(model.exchanges)).not.toContain("top-secret");
  });

  it("lists a model for every API's clients, and has nothing else", async () => {
    const list: unknown = await (await model.get("/v1/models")).json();
    expect(at(list, "data.0.id")).toBe("fake-model");
    expect(at(list, "models.0.name")).toBe("models/fake-model");
    expect((await model.get("/v1/engines")).status).toBe(404);
  });
});
