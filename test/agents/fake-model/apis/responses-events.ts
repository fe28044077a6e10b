import type { Beat, Silence } from "../script/answer.ts";
import { pieces } from "../script/pieces.ts";
import type { StreamEvent } from "./api.ts";
import type { Item } from "./responses-items.ts";

/** Makes an event of the stream, numbered. */
export type Emit = (type: string, data: object) => StreamEvent;

/** All events about one item of the output, from `output_item.added` to `output_item.done`. */
export function* itemEvents(
  item: Item,
  index: number,
  beats: readonly Beat[],
  emit: Emit,
): Iterable<StreamEvent | Silence> {
  yield emit("response.output_item.added", { output_index: index, item: begun(item) });
  yield* inside(item, { item_id: item.id, output_index: index }, beats, emit);
  yield emit("response.output_item.done", { output_index: index, item });
}

/** The item as it is announced: nothing in it yet. */
function begun(item: Item): object {
  switch (item.type) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "reasoning":
      return { ...item, summary: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
  }
}

function* inside(
  item: Item,
  place: { readonly item_id: string; readonly output_index: number },
  beats: readonly Beat[],
  emit: Emit,
): Iterable<StreamEvent | Silence> {
  switch (item.type) {
    case "message": {
      const [part] = item.content;
      const at = { ...place, content_index: 0 };
      yield emit("response.content_part.added", { ...at, part: { ...part, text: "" } });
      yield* streamed(beats, (delta) => emit("response.output_text.delta", { ...at, delta }));
      yield emit("response.output_text.done", { ...at, text: part.text });
      yield emit("response.content_part.done", { ...at, part });
      return;
    }
    case "reasoning": {
      const [part] = item.summary;
      const at = { ...place, summary_index: 0 };
      yield emit("response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } });
      yield* streamed(beats, (delta) => emit("response.reasoning_summary_text.delta", { ...at, delta }));
      yield emit("response.reasoning_summary_text.done", { ...at, text: part.text });
      yield emit("response.reasoning_summary_part.done", { ...at, part });
      return;
    }
    case "function_call":
      for (const delta of pieces(item.arguments)) {
        yield emit("response.function_call_arguments.delta", { ...place, delta });
      }
      yield emit("response.function_call_arguments.done", { ...place, arguments: item.arguments });
      return;
    case "custom_tool_call":
      for (const delta of pieces(item.input)) {
        yield emit("response.custom_tool_call_input.delta", { ...place, delta });
      }
      yield emit("response.custom_tool_call_input.done", { ...place, input: item.input });
      return;
  }
}

function* streamed(
  beats: readonly Beat[],
  event: (piece: string) => StreamEvent,
): Iterable<StreamEvent | Silence> {
  for (const beat of beats) yield "piece" in beat ? event(beat.piece) : beat;
}
