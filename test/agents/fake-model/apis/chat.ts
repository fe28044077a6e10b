import { z } from "zod";
import { type Block, hasCalls, type Silence, spoken } from "../script/answer.ts";
import type { Message } from "../script/conversation.ts";
import { pieces } from "../script/pieces.ts";
import { type Call, property } from "../script/tool.ts";
import type { Api, StreamEvent } from "./api.ts";
import { identifier } from "./identifier.ts";
import { plainText } from "./plain-text.ts";
import { PROMPT_TOKENS, tokensOf } from "./tokens.ts";

const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().default(false) }).nullish(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.unknown().optional(),
      tool_calls: z.array(z.unknown()).nullish(),
    }),
  ),
  tools: z
    .array(
      z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }) }),
    )
    .nullish(),
});

/** OpenAI's chat completions API, which many other providers speak too. */
export const chat: Api = {
  name: "chat",
  serves: (path) => path.endsWith("/chat/completions"),

  read(body) {
    const request = Request.parse(body);
    return {
      model: request.model,
      stream: request.stream ?? false,
      streamUsage: request.stream_options?.include_usage ?? false,
      messages: request.messages.flatMap(messageOf),
      tools: (request.tools ?? []).map((tool) => ({
        name: tool.function.name,
        schema: property(tool.function.parameters),
      })),
    };
  },

  whole: ({ model }, blocks) => ({
    ...heading(model),
    object: "chat.completion",
    choices: [{ index: 0, message: wholeMessage(blocks), finish_reason: finishReason(blocks) }],
    usage: usage(blocks),
  }),

  *stream({ model, streamUsage }, blocks) {
    const shared = { ...heading(model), object: "chat.completion.chunk" };
    const chunk = (delta: object, finish_reason: string | null = null): StreamEvent => ({
      data: { ...shared, choices: [{ index: 0, delta, finish_reason }] },
    });
    yield chunk({ role: "assistant", content: "" });
    yield* deltas(blocks, chunk);
    yield chunk({}, finishReason(blocks));
    if (streamUsage) yield { data: { ...shared, choices: [], usage: usage(blocks) } };
    yield { data: "[DONE]" };
  },

  failure: ({ status, message }) => ({
    error: {
      message,
      type: status === 429 ? "rate_limit_error" : "invalid_request_error",
      code: `${status}`,
    },
  }),
};

function messageOf({ role, content, tool_calls }: z.infer<typeof Request>["messages"][number]): Message[] {
  const text = plainText(content);
  if (role === "assistant") return [{ role: "model", text, calls: tool_calls?.length ?? 0 }];
  return role === "user" || role === "tool" ? [{ role, text }] : [];
}

const heading = (model: string) => ({
  id: identifier("chatcmpl-"),
  created: Math.floor(Date.now() / 1000),
  model,
});

const finishReason = (blocks: readonly Block[]): string => (hasCalls(blocks) ? "tool_calls" : "stop");

const usage = (blocks: readonly Block[]) => ({
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: tokensOf(spoken(blocks)),
  total_tokens: PROMPT_TOKENS + tokensOf(spoken(blocks)),
});

const argumentsOf = (call: Call): string =>
  JSON.stringify("arguments" in call ? call.arguments : { input: call.input });

const openCall = (call: Call) => ({
  id: identifier("call_"),
  type: "function",
  function: { name: call.tool.name, arguments: "" },
});

function wholeMessage(blocks: readonly Block[]): object {
  const made = blocks.flatMap((block) => (block.kind === "call" ? [block.call] : []));
  const toolCalls = made.map((call) => ({
    ...openCall(call),
    function: { name: call.tool.name, arguments: argumentsOf(call) },
  }));
  return {
    role: "assistant",
    content: spoken(blocks) || null,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
}

function* deltas(
  blocks: readonly Block[],
  chunk: (delta: object) => StreamEvent,
): Iterable<StreamEvent | Silence> {
  let index = 0;
  for (const block of blocks) {
    if (block.kind === "call") {
      yield chunk({ tool_calls: [{ index, ...openCall(block.call) }] });
      for (const piece of pieces(argumentsOf(block.call))) {
        yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
      }
      index++;
      continue;
    }
    const field = block.kind === "text" ? "content" : "reasoning_content";
    for (const beat of block.beats) yield "piece" in beat ? chunk({ [field]: beat.piece }) : beat;
  }
}
