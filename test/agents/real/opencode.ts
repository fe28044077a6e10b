import { join } from "node:path";
import type { Pinned } from "../install.ts";
import { environmentOf, putInHome } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

const OPENCODE: Pinned = { name: "opencode-ai", version: "1.18.33", scripts: true };

const MODEL = "scripted/fake-model";

const configuration = (model: string): object => ({
  autoupdate: false,
  share: "disabled",
  model: MODEL,
  small_model: MODEL,
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: `${model}/v1`, apiKey: "none" },
      models: {
        "fake-model": { name: "Fake model", tool_call: true, limit: { context: 100_000, output: 8_000 } },
      },
    },
  },
  permission: { bash: "ask", edit: "ask", webfetch: "ask" },
});

/** It asks because its configuration says so. */
export const opencode: RealAgent = {
  name: "opencode",
  package: OPENCODE,
  prepare({ home, model }) {
    putInHome(home, join(".config", "opencode", "opencode.json"), JSON.stringify(configuration(model)));
    return { agent: "opencode", env: environmentOf(OPENCODE, home) };
  },
  refusedTurn: "end_turn",
  script: cues,
};
