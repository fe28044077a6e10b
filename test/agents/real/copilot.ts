import { environmentOf } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

const COPILOT = { name: "@github/copilot", version: "1.0.102" };

/** Its model is one of its user's own, which it takes without a login. */
export const copilot: RealAgent = {
  name: "copilot",
  package: COPILOT,
  prepare: ({ home, model }) => ({
    agent: "github-copilot-cli",
    env: {
      ...environmentOf(COPILOT, home),
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "none",
      COPILOT_MODEL: "fake-model",
      COPILOT_OFFLINE: "true",
    },
  }),
  refusedTurn: "end_turn",
  script: cues,
};
