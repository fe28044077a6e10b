import { describe, expect, it } from "vitest";
import { kinds } from "./kinds.ts";
import { play } from "./scene.ts";

describe.each(kinds.filter(({ mode }) => mode))("a mode of an agent of the kind $name", (kind) => {
  const { id = "", told = "" } = kind.mode ?? {};

  it("is in force in the next turn, and again in a new process", async () => {
    const { client, sessionId, prompt } = await play(kind);
    await client.setMode(sessionId, id);
    await prompt({ tell: "mode" });
    expect(client.texts(sessionId)).toBe(`mode: ${told}`);
    await expect(prompt({ die: 1 })).rejects.toThrow();
    await prompt({ tell: "mode" });
    expect(client.texts(sessionId)).toBe(`mode: ${told}mode: ${told}`);
  });

  it("that it does not offer is refused", async () => {
    const { client, sessionId } = await play(kind);
    await expect(client.setMode(sessionId, "nonsense")).rejects.toThrow();
  });
});

describe.each(kinds.filter(({ model }) => model))("a model of an agent of the kind $name", (kind) => {
  it("is chosen by its config option, and again in a new process", async () => {
    const { id = "", told = "" } = kind.model ?? {};
    const { client, sessionId, prompt } = await play(kind);
    const { configOptions } = await client.setOption(sessionId, "model", id);
    expect(configOptions).toContainEqual(expect.objectContaining({ id: "model", currentValue: id }));
    await prompt({ tell: "model" });
    expect(client.texts(sessionId)).toBe(`model: ${told}`);
    await expect(client.setOption(sessionId, "model", "nonsense")).rejects.toMatchObject({ code: -32602 });
    await expect(prompt({ die: 1 })).rejects.toThrow();
    await prompt({ tell: "model" });
    expect(client.texts(sessionId)).toBe(`model: ${told}model: ${told}`);
  });
});
