import { expect } from "vitest";
import { canSeeProcesses, markedWith } from "../processes.ts";
import { expectToGoOn, type Scenario } from "./scenario.ts";

export const hallStopped: Scenario = {
  name: "is gone, with every process of its, once the hall has stopped",
  cannot: () => (canSeeProcesses ? undefined : "there is no /proc here"),
  async play(stage) {
    const { client, sessionId } = await stage.join();
    await expectToGoOn(stage, client, sessionId);
    expect(markedWith(stage.home).length).toBeGreaterThan(0);
    await stage.hall.stop();
    expect(markedWith(stage.home)).toEqual([]);
    return undefined;
  },
};
