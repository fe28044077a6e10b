import { describe, expect, it } from "vitest";
import { kinds } from "./kinds.ts";
import { play, thoughts, toolCalls } from "./scene.ts";

describe.each(kinds)("a turn of an agent of the kind $name", (kind) => {
  it("tells each text once and in order, thoughts apart, and all before its answer", async () => {
    const { client, sessionId, prompt } = await play(kind);
    expect(
      await prompt({ think: "A thought." }, { say: "One. " }, { say: "Same." }, { say: "Same." }),
    ).toMatchObject({
      stopReason: "end_turn",
    });
    expect(client.texts(sessionId)).toBe("One. Same.Same.");
    expect(thoughts(client, sessionId)).toBe("A thought.");
  });

  it("begins each tool call once, says what it is, and ends it", async () => {
    const { client, sessionId, prompt } = await play(kind);
    await prompt(
      { run: { command: "ls", output: "two files", exit: 0 } },
      { run: { command: "rm x", output: "no such file", exit: 1 } },
      { edit: { path: "/srv/a.txt", before: "old", after: "new" } },
    );
    const [ran, failed, edited] = toolCalls(client, sessionId);
    expect([ran, failed, edited].map((call) => call?.begun)).toEqual([1, 1, 1]);
    expect(ran?.statuses.at(-1)).toBe("completed");
    expect(failed?.statuses.at(-1)).toBe("failed");
    expect(edited?.statuses.at(-1)).toBe("completed");
    expect(ran?.last).toMatchObject({ title: "ls", kind: "execute" });
    expect(JSON.stringify(ran?.last.content)).toContain("two files");
    expect(JSON.stringify(failed?.last.content)).toContain("no such file");
    expect(edited?.last).toMatchObject({ kind: "edit", locations: [{ path: "/srv/a.txt" }] });
    if (!kind.can.has("diffs")) return;
    const [diff] = Array.isArray(edited?.last.content) ? edited.last.content : [];
    expect(diff).toMatchObject({ type: "diff", path: "/srv/a.txt" });
    expect([diff.oldText, diff.newText].map((text: string) => text.trim())).toEqual(["old", "new"]);
  });

  it.runIf(kind.can.has("plan"))("shows its plan", async () => {
    const { client, sessionId, prompt } = await play(kind);
    await prompt({ plan: ["look", "leap"] });
    expect(client.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate === "plan")).toEqual({
      sessionUpdate: "plan",
      entries: [
        { content: "look", status: "completed", priority: "medium" },
        { content: "leap", status: "pending", priority: "medium" },
      ],
    });
  });

  it.runIf(kind.can.has("usage"))("tells how full the context is", async () => {
    const { client, sessionId, prompt } = await play(kind);
    await prompt({ say: "x" });
    const usage = client.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate === "usage_update");
    expect(usage).toMatchObject({ used: expect.any(Number), size: expect.any(Number) });
  });

  it.runIf(kind.can.has("resources"))(
    "hands over links and embedded texts, and images where they are taken",
    async () => {
      const { client, sessionId } = await play(kind);
      const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
      await client.promptWith(sessionId, [
        {
          type: "text",
          text: kind.words([
            { tell: "resources" },
            ...(kind.can.has("images") ? [{ tell: "images" } as const] : []),
          ]),
        },
        { type: "resource_link", uri: "file:///srv/a.txt", name: "a" },
        { type: "resource", resource: { uri: "file:///srv/b.txt", text: "the text of b" } },
        ...(kind.can.has("images") ? [image] : []),
      ]);
      const text = client.texts(sessionId);
      for (const part of ["[@a](file:///srv/a.txt)", "[@b.txt](file:///srv/b.txt)", "the text of b"]) {
        expect(text).toContain(part);
      }
      if (kind.can.has("images")) expect(text).toContain("image/png");
      else await expect(client.promptWith(sessionId, [image])).rejects.toMatchObject({ code: -32602 });
    },
  );

  it("passes over what no version of today says", async () => {
    const { client, sessionId, prompt } = await play(kind);
    expect(await prompt({ unknown: true }, { say: "still here" })).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("still here");
  });

  it("may say a great deal at once", async () => {
    const { client, sessionId, prompt } = await play(kind);
    await prompt({ big: 2_000_000 });
    expect(client.texts(sessionId)).toBe("x".repeat(2_000_000));
  });

  it("waits for the one before it, and ends before the one after it", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const [first, second] = await Promise.all([prompt({ say: "first " }), prompt({ say: "second" })]);
    expect([first.stopReason, second.stopReason]).toEqual(["end_turn", "end_turn"]);
    expect(client.texts(sessionId)).toBe("first second");
  });

  it.runIf(kind.can.has("commands"))("is offered with slash commands", async () => {
    const { client, sessionId } = await play(kind);
    await client.sees('"available_commands_update"');
    expect(JSON.stringify(client.updates(sessionId))).toMatch(/"name":"(compact|plan)"/);
  });
});
