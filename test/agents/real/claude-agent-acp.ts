import { environmentOf } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";
import { cues } from "./script.ts";

const CLAUDE = { name: "@agentclientprotocol/claude-agent-acp", version: "0.49.0" };

/** Claude Code behind its ACP adapter. */
export const claudeAgentAcp: RealAgent = {
  name: "claude-agent-acp",
  package: CLAUDE,
  prepare: ({ home, model }) => ({
    agent: "claude-acp",
    env: {
      ...environmentOf(CLAUDE, home),
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
    },
  }),
  refusedTurn: "end_turn",
  script: cues,
};
