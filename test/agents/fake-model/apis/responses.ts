import { type Block, spoken } from "../script/answer.ts";
import type { Api } from "./api.ts";
import { identifier } from "./identifier.ts";
import { type Emit, itemEvents } from "./responses-events.ts";
import { type Item, itemOf } from "./responses-items.ts";
import { readRequest } from "./responses-request.ts";
import { PROMPT_TOKENS, tokensOf } from "./tokens.ts";

/** OpenAI's responses API, with function tools and custom (freeform) ones. */
export const responses: Api = {
  name: "responses",
  serves: (path) => path.endsWith("/responses"),
  read: readRequest,

  whole: ({ model }, blocks) => completed(opened(model), blocks.map(itemOf), blocks),

  *stream({ model }, blocks) {
    const response = opened(model);
    const items: Item[] = [];
    let number = 0;
    const emit: Emit = (type, data) => ({ name: type, data: { type, ...data, sequence_number: number++ } });

    yield emit("response.created", { response });
    yield emit("response.in_progress", { response });
    for (const [index, block] of blocks.entries()) {
      const item = itemOf(block);
      yield* itemEvents(item, index, block.kind === "call" ? [] : block.beats, emit);
      items.push(item);
    }
    yield emit("response.completed", { response: completed(response, items, blocks) });
  },

  failure: ({ status, message }) => ({
    error: { message, type: status === 429 ? "rate_limit_error" : "invalid_request_error", code: null },
  }),
};

const opened = (model: string) => ({
  id: identifier("resp_"),
  object: "response",
  created_at: Math.floor(Date.now() / 1000),
  status: "in_progress",
  model,
  output: [],
  parallel_tool_calls: true,
  tools: [],
  usage: null,
});

function completed(response: object, output: readonly Item[], blocks: readonly Block[]): object {
  const spent = tokensOf(spoken(blocks));
  const usage = {
    input_tokens: PROMPT_TOKENS,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: spent,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: PROMPT_TOKENS + spent,
  };
  return { ...response, status: "completed", output, usage };
}
