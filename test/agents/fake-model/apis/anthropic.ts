import { z } from "zod";
import { type Block, hasCalls, type Silence, spoken, textOf } from "../script/answer.ts";
import type { Conversation, Message } from "../script/conversation.ts";
import { pieces } from "../script/pieces.ts";
import { type Call, property } from "../script/tool.ts";
import type { Api, StreamEvent } from "./api.ts";
import { identifier } from "./identifier.ts";
import { plainText } from "./plain-text.ts";
import { PROMPT_TOKENS, tokensOf } from "./tokens.ts";

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  content: z.unknown().optional(),
});
const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(Part)]) })),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() })).default([]),
});

/** A thought needs a signature; nobody checks this one. */
const SIGNATURE = Buffer.from("unsigned").toString("base64");

/** Anthropic's messages API. */
export const anthropic: Api = {
  name: "anthropic",
  serves: (path) => path.endsWith("/messages"),

  read(body) {
    const request = Request.parse(body);
    return {
      model: request.model,
      stream: request.stream,
      messages: request.messages.flatMap(messagesOf),
      tools: request.tools.map((tool) => ({ name: tool.name, schema: property(tool.input_schema) })),
    };
  },

  whole: (conversation, blocks) => ({
    ...emptyMessage(conversation),
    content: blocks.map(contentBlock),
    stop_reason: stopReason(blocks),
    usage: { input_tokens: PROMPT_TOKENS, output_tokens: tokensOf(spoken(blocks)) },
  }),

  *stream(conversation, blocks) {
    yield event("message_start", { message: emptyMessage(conversation) });
    yield event("ping", {});
    for (const [index, block] of blocks.entries()) {
      yield event("content_block_start", { index, content_block: openBlock(block) });
      yield* deltas(block, (delta) => event("content_block_delta", { index, delta }));
      yield event("content_block_stop", { index });
    }
    yield event("message_delta", {
      delta: { stop_reason: stopReason(blocks), stop_sequence: null },
      usage: { output_tokens: tokensOf(spoken(blocks)) },
    });
    yield event("message_stop", {});
  },

  failure: ({ status, message }) => ({
    type: "error",
    error: { type: ERROR_TYPES[status] ?? "api_error", message },
    request_id: identifier("req_"),
  }),
};

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function messagesOf({ role, content }: z.infer<typeof Request>["messages"][number]): Message[] {
  const parts = typeof content === "string" ? [{ type: "text", text: content, content: undefined }] : content;
  const text = plainText(parts.filter((part) => part.type === "text"));
  if (role === "assistant") {
    return [{ role: "model", text, calls: parts.filter((part) => part.type === "tool_use").length }];
  }
  if (role !== "user") return [];
  const results = parts.filter((part) => part.type === "tool_result");
  return [
    ...results.map((part): Message => ({ role: "tool", text: plainText(part.content) })),
    ...(text === "" ? [] : [{ role: "user", text } as const]),
  ];
}

const emptyMessage = ({ model }: Conversation) => ({
  id: identifier("msg_"),
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    input_tokens: PROMPT_TOKENS,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
  },
});

const stopReason = (blocks: readonly Block[]): string => (hasCalls(blocks) ? "tool_use" : "end_turn");

const inputOf = (call: Call): object => ("arguments" in call ? call.arguments : { input: call.input });

function contentBlock(block: Block): object {
  if (block.kind === "call") return { ...openBlock(block), input: inputOf(block.call) };
  return block.kind === "text"
    ? { type: "text", text: textOf(block) }
    : { type: "thinking", thinking: textOf(block), signature: SIGNATURE };
}

function openBlock(block: Block): object {
  switch (block.kind) {
    case "call":
      return { type: "tool_use", id: identifier("toolu_"), name: block.call.tool.name, input: {} };
    case "text":
      return { type: "text", text: "" };
    case "thought":
      return { type: "thinking", thinking: "", signature: "" };
  }
}

function* deltas(
  block: Block,
  made: (delta: Record<string, string>) => StreamEvent,
): Iterable<StreamEvent | Silence> {
  if (block.kind === "call") {
    for (const piece of pieces(JSON.stringify(inputOf(block.call)))) {
      yield made({ type: "input_json_delta", partial_json: piece });
    }
    return;
  }
  for (const beat of block.beats) {
    if (!("piece" in beat)) yield beat;
    else if (block.kind === "text") yield made({ type: "text_delta", text: beat.piece });
    else yield made({ type: "thinking_delta", thinking: beat.piece });
  }
  if (block.kind === "thought") yield made({ type: "signature_delta", signature: SIGNATURE });
}

const event = (type: string, data: object): StreamEvent => ({ name: type, data: { type, ...data } });
