/** `acp-hall/ai`: agents by the AI SDK. */
export type { AgentDefinition } from "./agent-definition.ts";
export {
  type AiAgentOptions,
  type AiTurn,
  aiAgent,
  type ModelOptions,
  type Streamed,
  type StreamOptions,
} from "./ai/ai-agent.ts";
export { toContentBlocks } from "./ai/content-blocks.ts";
export { type ModelPart, toModelParts } from "./ai/model-parts.ts";
export { UnsupportedContent } from "./ai/unsupported-content.ts";
