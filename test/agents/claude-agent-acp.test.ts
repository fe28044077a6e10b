import { claudeAgentAcp } from "./real/claude-agent-acp.ts";
import { rehearse } from "./rehearse.ts";

rehearse(claudeAgentAcp);
