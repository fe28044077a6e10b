import { expect } from "vitest";
import { allowEverything } from "../answers.ts";
import { Turn } from "../turn.ts";
import type { Scenario } from "./scenario.ts";

export const talk: Scenario = {
  name: "answers a prompt, all of its words before the answer",
  async play(stage) {
    const { talk } = stage.agent.script;
    const { client, sessionId } = await stage.join();
    allowEverything(client);
    const turn = new Turn(client, sessionId, talk.prompt);
    expect(await turn.over).toMatchObject({ stopReason: "end_turn" });
    expect(turn.text).toContain(talk.says);
    await client.saidMeanwhile();
    expect(turn.lateText).toBe("");
    return undefined;
  },
};
