import { type Fields, isFields } from "../../../acp/checks.ts";

/** As much of a compiled graph of LangGraph.js as this needs; anything of this shape will do. */
export interface CompiledGraph {
  // biome-ignore lint/suspicious/noExplicitAny: each graph has its own state, and its own type for this method
  stream(input: any, options?: any): Promise<AsyncIterable<unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  getState(config: any): Promise<unknown>;
  readonly name?: string | undefined;
  readonly checkpointer?: unknown;
  /** The state's channels, among others of the engine. */
  readonly channels?: unknown;
}

/** A module is JavaScript: its types promise nothing. */
export const isCompiledGraph = (value: unknown): value is CompiledGraph =>
  typeof value === "object" &&
  value !== null &&
  "stream" in value &&
  typeof value.stream === "function" &&
  "getState" in value &&
  typeof value.getState === "function";

/** What a node asked by `interrupt(value)`, and nobody has answered yet. */
export interface Interrupt {
  /** Undefined where the engine gives none. */
  readonly id: string | undefined;
  readonly node: string;
  readonly value: unknown;
}

/** A thread of a graph, as its checkpointer has it. */
export interface Snapshot {
  readonly isKnown: boolean;
  readonly values: Fields;
  readonly interrupts: readonly Interrupt[];
}

const NOTHING: Snapshot = { isKnown: false, values: {}, interrupts: [] };

/** Whether a graph keeps its threads. One that does not say is asked. */
export const keepsThreads = ({ checkpointer }: CompiledGraph): boolean =>
  checkpointer !== undefined && checkpointer !== null && checkpointer !== false;

export async function snapshotOf(graph: CompiledGraph, threadId: string): Promise<Snapshot> {
  if ("checkpointer" in graph && !keepsThreads(graph)) return NOTHING;
  const state = await graph.getState({ configurable: { thread_id: threadId } });
  if (!isFields(state)) return NOTHING;
  const values = isFields(state.values) ? state.values : {};
  return {
    isKnown: state.createdAt !== undefined || Object.keys(values).length > 0,
    values,
    interrupts: (Array.isArray(state.tasks) ? state.tasks : []).filter(isFields).flatMap(openInterrupts),
  };
}

/** A task that has a result was answered, and only waits for the others of its step. */
function openInterrupts({ name, interrupts, result }: Fields): Interrupt[] {
  if (result !== undefined || !Array.isArray(interrupts)) return [];
  return interrupts.filter(isFields).map(({ id, value }) => ({
    id: typeof id === "string" ? id : undefined,
    node: String(name),
    value,
  }));
}

/** Whether the graph's state has such a channel; undefined: it does not say which it has. */
export function declares({ channels }: CompiledGraph, channel: string): boolean | undefined {
  return isFields(channels) ? Object.hasOwn(channels, channel) : undefined;
}
