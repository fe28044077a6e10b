import { join } from "node:path";
import type { Pinned } from "../install.ts";
import { environmentOf, putInHome } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

export const PI: Pinned = { name: "@mariozechner/pi-coding-agent", version: "0.73.1" };

const models = (model: string): object => ({
  providers: {
    scripted: {
      baseUrl: `${model}/v1`,
      api: "openai-completions",
      apiKey: "none",
      models: [
        {
          id: "scripted-model",
          name: "Scripted",
          reasoning: true,
          input: ["text", "image"],
          contextWindow: 100_000,
          maxTokens: 8000,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        },
      ],
    },
  },
});

const SETTINGS = { defaultProvider: "scripted", defaultModel: "scripted-model", quietStartup: true };

/** Pi itself asks nothing; its extensions can. This one asks before each command, as people let theirs do. */
const ASKING_EXTENSION = `export default function (pi) {
  pi.on("tool_call", async (event, context) => {
    if (event.toolName !== "bash") return;
    if (!(await context.ui.confirm("Run this?", event.input.command))) return { block: true, reason: "Refused." };
  });
}
`;

/** Pi, by hall's own adapter. */
export const pi: RealAgent = {
  name: "pi",
  package: PI,
  prepare({ home, model }) {
    const folder = join(".pi", "agent");
    putInHome(home, join(folder, "models.json"), JSON.stringify(models(model)));
    putInHome(home, join(folder, "settings.json"), JSON.stringify(SETTINGS));
    putInHome(home, join(folder, "extensions", "ask.js"), ASKING_EXTENSION);
    return { adapter: "pi", env: { ...environmentOf(PI, home), PI_OFFLINE: "1" } };
  },
  refusedTurn: "end_turn",
  script: cues,
};
