import { describe, expect, it } from "vitest";
import { kinds } from "./kinds.ts";
import { play, toolCalls } from "./scene.ts";

describe.each(kinds)("a cancel of an agent of the kind $name", (kind) => {
  it("ends a turn that talks, and the next one runs", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const turn = prompt({ say: "here" }, { wait: true }, { say: "never" });
    await client.sees('"agent_message_chunk"');
    client.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(await prompt({ say: ", next" })).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toMatch(/here, next$/);
  });

  it("ends a turn in the middle of a command, which is left open by nobody", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const turn = prompt({ hold: { command: "tail -f" } });
    await client.sees('"title":"tail -f"');
    client.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(toolCalls(client, sessionId).map(({ statuses }) => statuses.at(-1))).toEqual(["failed"]);
    expect(await prompt({ say: "next" })).toMatchObject({ stopReason: "end_turn" });
  });

  it.runIf(kind.can.has("ask"))("withdraws the question that is open", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const turn = prompt({ ask: { command: "make" } });
    const { id } = await client.question();
    client.cancel(sessionId);
    await client.sees(
      ({ method, params }) => method === "$/cancel_request" && Object(params).requestId === id,
    );
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(await prompt({ say: "next" })).toMatchObject({ stopReason: "end_turn" });
  });

  it("ends what waits, too, and that never runs", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const first = prompt({ say: "here" }, { wait: true });
    const second = prompt({ say: "never" });
    await client.sees('"agent_message_chunk"');
    client.cancel(sessionId);
    expect((await Promise.all([first, second])).map(({ stopReason }) => stopReason)).toEqual([
      "cancelled",
      "cancelled",
    ]);
    expect(client.texts(sessionId)).not.toContain("never");
  });

  it("of nothing is no later turn's fault", async () => {
    const { client, sessionId, prompt } = await play(kind);
    client.cancel(sessionId);
    expect(await prompt({ say: "one" })).toMatchObject({ stopReason: "end_turn" });
    client.cancel(sessionId);
    expect(await prompt({ say: " two" })).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("one two");
  });
});
