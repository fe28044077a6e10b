import { z } from "zod";
import type { Conversation, Message } from "../script/conversation.ts";
import { property, type Tool } from "../script/tool.ts";
import { plainText } from "./plain-text.ts";

const Item = z.looseObject({
  type: z.string().default("message"),
  role: z.string().optional(),
  content: z.unknown().optional(),
  output: z.unknown().optional(),
});

const Request = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  input: z.union([z.string(), z.array(Item)]),
  tools: z.array(z.unknown()).nullish(),
});

const Offered = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: z.unknown().optional(),
  tools: z.array(z.unknown()).optional(),
});

/** Reads a request of the responses API. Throws a ZodError when it is none. */
export function readRequest(body: unknown): Conversation {
  const { model, stream, input, tools } = Request.parse(body);
  return {
    model,
    stream: stream ?? false,
    messages: typeof input === "string" ? [{ role: "user", text: input }] : messagesOf(input),
    tools: (tools ?? []).flatMap((tool) => toolsOf(tool)),
  };
}

/** An answer comes back as several items, its text and each of its calls; here it is one message again. */
function messagesOf(items: readonly z.infer<typeof Item>[]): Message[] {
  const messages: Message[] = [];
  for (const { type, role, content, output } of items) {
    if (type.endsWith("_call_output")) messages.push({ role: "tool", text: plainText(output) });
    else if (type.endsWith("_call")) messages.push(withCall(messages));
    else if (role === "user") messages.push({ role, text: plainText(content) });
    else if (role === "assistant") messages.push({ role: "model", text: plainText(content), calls: 0 });
  }
  return messages;
}

/** Takes the model's message off the end, if there is one, and gives it back with one call more. */
function withCall(messages: Message[]): Message {
  const last = messages.at(-1);
  if (last?.role !== "model") return { role: "model", text: "", calls: 1 };
  messages.pop();
  return { ...last, calls: last.calls + 1 };
}

function toolsOf(offered: unknown, namespace?: string): Tool[] {
  const { type, name = type, parameters, tools = [] } = Offered.parse(offered);
  const within = namespace === undefined ? {} : { namespace };
  switch (type) {
    case "function":
      return [{ name, schema: property(parameters), ...within }];
    case "custom":
      return [{ name, schema: {}, freeform: true, ...within }];
    case "namespace":
      return tools.flatMap((tool) => toolsOf(tool, name));
    default:
      return [];
  }
}
