import { environmentOf } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

const QWEN = { name: "@qwen-code/qwen-code", version: "0.15.10" };

/** It says that it can resume a session, and cannot; and it loads one that it does not know without a word. */
export const qwenCode: RealAgent = {
  name: "qwen-code",
  package: QWEN,
  prepare: ({ home, model }) => ({
    agent: "qwen-code",
    env: {
      ...environmentOf(QWEN, home),
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_API_KEY: "none",
      OPENAI_MODEL: "fake-model",
    },
  }),
  refusedTurn: "end_turn",
  script: cues,
};
