import { expect } from "vitest";
import { Turn } from "../turn.ts";
import { expectToGoOn, type Scenario } from "./scenario.ts";

export const cancelTalk: Scenario = {
  name: "stops in the middle of its words when it is cancelled",
  async play(stage) {
    const { client, sessionId } = await stage.join();
    const turn = new Turn(client, sessionId, stage.agent.script.chatter);
    await turn.speaks();
    const cancelled = performance.now();
    client.cancel(sessionId);
    expect(await turn.over).toMatchObject({ stopReason: "cancelled" });
    const took = Math.round(performance.now() - cancelled);
    await expectToGoOn(stage, client, sessionId);
    return `cancelled after ${took} ms`;
  },
};
