import { type Fields, isFields } from "../../../acp/checks.ts";
import type { Turn } from "../turn.ts";
import type { CompiledGraph } from "./compiled-graph.ts";
import { assistantText } from "./messages.ts";

export interface RunParts {
  graph: CompiledGraph;
  turn: Turn;
  /** Nodes whose tokens are streamed. */
  streamNodes: readonly string[];
  config: Fields;
}

/** The runs of a graph in one turn: what its nodes stream is said, what they write is remembered. */
export class Runs {
  readonly #parts: RunParts;
  /** Channels that a node of the graph itself wrote in this turn, each with what it wrote last. */
  readonly written = new Map<string, unknown>();
  /** What was streamed in this turn. */
  #streamed = "";

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Runs to the next stop: the end, or interrupts. */
  async play(input: unknown): Promise<void> {
    const { graph, turn, streamNodes, config } = this.#parts;
    const streamMode = streamNodes.length > 0 ? ["updates", "messages"] : ["updates"];
    const options = { ...config, streamMode, subgraphs: true, signal: turn.signal };
    for await (const chunk of await graph.stream(input, options)) {
      if (!Array.isArray(chunk)) continue;
      const [place, mode, payload] = chunk;
      if (mode === "updates" && Array.isArray(place) && place.length === 0) this.#note(payload);
      else if (mode === "messages") await this.#token(payload);
    }
    turn.signal.throwIfAborted();
  }

  /** Says a text, but for what of it was streamed. */
  async sayRest(text: string): Promise<void> {
    const streamed = this.#streamed;
    if (text === "" || streamed.endsWith(text)) return;
    const isBegun = streamed !== "" && text.startsWith(streamed);
    await this.#parts.turn.say(
      isBegun ? text.slice(streamed.length) : `${streamed === "" ? "" : "\n\n"}${text}`,
    );
  }

  /** A step's update has what each node wrote, by its name. */
  #note(update: unknown): void {
    if (!isFields(update)) return;
    const writes = Object.values(update).flatMap((one) => (Array.isArray(one) ? one : [one]));
    for (const write of writes.filter(isFields)) {
      for (const [channel, value] of Object.entries(write)) this.written.set(channel, value);
    }
  }

  async #token(payload: unknown): Promise<void> {
    const [message, about] = Array.isArray(payload) ? payload : [];
    const node = isFields(about) ? about.langgraph_node : undefined;
    if (typeof node !== "string" || !this.#parts.streamNodes.includes(node)) return;
    const text = assistantText(message) ?? "";
    this.#streamed += text;
    await this.#parts.turn.say(text);
  }
}
