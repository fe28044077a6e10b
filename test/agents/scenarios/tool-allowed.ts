import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { answer } from "../answers.ts";
import { Turn } from "../turn.ts";
import type { Scenario } from "./scenario.ts";

export const toolAllowed: Scenario = {
  name: "does what it asks for when it is allowed, and not before",
  async play(stage) {
    const { client, sessionId } = await stage.join();
    const { prompt, leaves } = stage.agent.script.act(join(client.cwd, "allowed.txt"));
    const turn = new Turn(client, sessionId, prompt);
    const question = await turn.asks();
    if (leaves !== undefined) expect(existsSync(leaves)).toBe(false);
    answer(question, "allow_once");
    expect(await turn.over).toMatchObject({ stopReason: "end_turn" });
    if (leaves !== undefined) expect(existsSync(leaves)).toBe(true);
    expect(turn.openToolCalls).toEqual([]);
    return undefined;
  },
};
