import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { answer } from "../answers.ts";
import { Turn } from "../turn.ts";
import { expectToGoOn, type Scenario } from "./scenario.ts";

export const toolRefused: Scenario = {
  name: "does not do what it is refused, and takes the next prompt",
  async play(stage) {
    const { client, sessionId } = await stage.join();
    const { prompt, leaves } = stage.agent.script.act(join(client.cwd, "refused.txt"));
    const turn = new Turn(client, sessionId, prompt);
    answer(await turn.asks(), "reject_once");
    const { stopReason } = await turn.over;
    expect(stopReason).toBe(stage.agent.refusedTurn);
    if (leaves !== undefined) expect(existsSync(leaves)).toBe(false);
    expect(turn.openToolCalls).toEqual([]);
    await expectToGoOn(stage, client, sessionId);
    return `the turn ended with ${stopReason}`;
  },
};
