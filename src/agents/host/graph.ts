/** `acp-hall/graph`: agents that are graphs of LangGraph.js. */
export type { AgentDefinition } from "./agent-definition.ts";
export type { CompiledGraph, Interrupt } from "./graph/compiled-graph.ts";
export { graphAgent } from "./graph/graph-agent.ts";
export type { GraphHooks } from "./graph/graph-hooks.ts";
export { turnOf } from "./graph/playing-turns.ts";
