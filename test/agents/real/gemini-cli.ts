import { environmentOf } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

const GEMINI = { name: "@google/gemini-cli", version: "0.61.0" };

/** It fails to load its own sessions, and works badly with a client's files. */
export const geminiCli: RealAgent = {
  name: "gemini-cli",
  package: GEMINI,
  prepare: ({ home, model }) => ({
    agent: "gemini",
    env: {
      ...environmentOf(GEMINI, home),
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: "none",
      GEMINI_MODEL: "gemini-2.5-flash",
    },
  }),
  refusedTurn: "end_turn",
  script: cues,
};
