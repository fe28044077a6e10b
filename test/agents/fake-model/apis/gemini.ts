import { z } from "zod";
import { type Block, spoken, textOf } from "../script/answer.ts";
import type { Conversation, Message } from "../script/conversation.ts";
import { type Call, property } from "../script/tool.ts";
import type { Api, StreamEvent } from "./api.ts";
import { identifier } from "./identifier.ts";
import { plainText } from "./plain-text.ts";
import { PROMPT_TOKENS, tokensOf } from "./tokens.ts";

const Part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.unknown().optional(),
  functionResponse: z.looseObject({ response: z.unknown().optional() }).optional(),
});
const Declaration = z.looseObject({
  name: z.string(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
});
const Request = z.looseObject({
  contents: z.array(z.looseObject({ role: z.string().default("user"), parts: z.array(Part).default([]) })),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(Declaration).default([]) })).default([]),
});

/** `…/models/gemini-2.5-flash:streamGenerateContent` */
const PATH = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;

/** Google's Gemini API. Its streams are server-sent events too (`?alt=sse`). */
export const gemini: Api = {
  name: "gemini",
  serves: (path) => PATH.test(path),

  read(body, path) {
    const [, model = "", method = ""] = PATH.exec(path) ?? [];
    const { contents, tools } = Request.parse(body);
    return {
      model,
      stream: method === "streamGenerateContent",
      messages: contents.flatMap(messagesOf),
      tools: tools
        .flatMap((tool) => tool.functionDeclarations)
        .map(({ name, parametersJsonSchema, parameters }) => ({
          name,
          schema: property(parametersJsonSchema ?? parameters),
        })),
    };
  },

  whole: (conversation, blocks) => document(conversation, blocks)(blocks.map(wholePart), "STOP"),

  *stream(conversation, blocks) {
    const chunk = (parts: readonly object[], finishReason?: string): StreamEvent => ({
      data: document(conversation, blocks)(parts, finishReason),
    });
    for (const block of blocks) {
      if (block.kind === "call") {
        yield chunk([functionCall(block.call)]);
        continue;
      }
      const thought = block.kind === "thought" ? { thought: true } : {};
      for (const beat of block.beats) {
        yield "piece" in beat ? chunk([{ text: beat.piece, ...thought }]) : beat;
      }
    }
    yield chunk([{ text: "" }], "STOP");
  },

  failure: ({ status, message }) => ({
    error: { code: status, message, status: STATUS_NAMES[status] ?? "INTERNAL" },
  }),
};

const STATUS_NAMES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  429: "RESOURCE_EXHAUSTED",
};

function messagesOf({ role, parts }: z.infer<typeof Request>["contents"][number]): Message[] {
  const text = plainText(parts.filter((part) => part.text !== undefined && !part.thought));
  if (role === "model") {
    return [{ role, text, calls: parts.filter((part) => part.functionCall !== undefined).length }];
  }
  const results = parts.flatMap(({ functionResponse }) =>
    functionResponse ? [{ role: "tool", text: plainText(functionResponse.response) } as const] : [],
  );
  return [...results, ...(text === "" ? [] : [{ role: "user", text } as const])];
}

const functionCall = (call: Call) => ({
  functionCall: {
    id: identifier("call_"),
    name: call.tool.name,
    args: "arguments" in call ? call.arguments : { input: call.input },
  },
});

function wholePart(block: Block): object {
  if (block.kind === "call") return functionCall(block.call);
  return { text: textOf(block), ...(block.kind === "thought" ? { thought: true } : {}) };
}

/** What stands around the parts, in a chunk as in a whole answer. */
function document({ model }: Conversation, blocks: readonly Block[]) {
  const spent = tokensOf(spoken(blocks));
  const shared = {
    usageMetadata: {
      promptTokenCount: PROMPT_TOKENS,
      candidatesTokenCount: spent,
      totalTokenCount: PROMPT_TOKENS + spent,
    },
    modelVersion: model,
    responseId: identifier(""),
  };
  return (parts: readonly object[], finishReason?: string): object => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason ? { finishReason } : {}) }],
    ...shared,
  });
}
