import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { Turn } from "../turn.ts";
import { expectToGoOn, type Scenario } from "./scenario.ts";

export const cancelQuestion: Scenario = {
  name: "is cancelled while it asks something that nobody answers",
  async play(stage) {
    const { client, sessionId } = await stage.join();
    const { prompt, leaves } = stage.agent.script.act(join(client.cwd, "unanswered.txt"));
    const turn = new Turn(client, sessionId, prompt);
    const { id } = await turn.asks();
    client.cancel(sessionId);
    expect(await turn.over).toMatchObject({ stopReason: "cancelled" });
    await client.sees(
      ({ method, params }) => method === "$/cancel_request" && Object(params).requestId === id,
    );
    if (leaves !== undefined) expect(existsSync(leaves)).toBe(false);
    expect(turn.openToolCalls).toEqual([]);
    await expectToGoOn(stage, client, sessionId);
    return undefined;
  },
};
