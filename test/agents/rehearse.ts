import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import type { RealAgent } from "./real/real-agent.ts";
import { scenarios } from "./scenarios/all.ts";
import { Stage } from "./stage.ts";

declare module "vitest" {
  interface TaskMeta {
    /** What the report says beside the result. */
    remark?: string;
  }
}

/** Plays every scenario with an agent behind a hall. */
export function rehearse(agent: RealAgent): void {
  describe(agent.name, () => {
    let stage: Stage;

    beforeAll(async () => {
      stage = await Stage.set(agent);
    });
    afterEach(async ({ task }) => {
      if (task.result?.state === "fail") {
        process.stderr.write(stage.lastWords);
        await stage.forget();
      }
      await stage.clear();
    });
    afterAll(() => stage?.strike());

    for (const scenario of scenarios) {
      it(scenario.name, async ({ skip, task }) => {
        const reason = scenario.cannot?.(agent);
        if (reason !== undefined) skip(reason);
        const remark = await scenario.play(stage);
        if (remark !== undefined) task.meta.remark = remark;
      });
    }
  });
}
