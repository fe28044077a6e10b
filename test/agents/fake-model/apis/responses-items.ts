import { type Block, textOf } from "../script/answer.ts";
import type { Call } from "../script/tool.ts";
import { identifier } from "./identifier.ts";

/** An item of a response's output, as it stands when it is complete. */
export type Item = MessageItem | ReasoningItem | CallItem;

export interface MessageItem {
  readonly type: "message";
  readonly id: string;
  readonly status: "completed";
  readonly role: "assistant";
  readonly content: readonly [
    { readonly type: "output_text"; readonly text: string; readonly annotations: [] },
  ];
}

export interface ReasoningItem {
  readonly type: "reasoning";
  readonly id: string;
  readonly summary: readonly [{ readonly type: "summary_text"; readonly text: string }];
  /** Given back by the client in its next request; nobody decrypts it. */
  readonly encrypted_content: string;
}

export type CallItem = {
  readonly id: string;
  readonly status: "completed";
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
} & (
  | { readonly type: "function_call"; readonly arguments: string }
  | { readonly type: "custom_tool_call"; readonly input: string }
);

export function itemOf(block: Block): Item {
  switch (block.kind) {
    case "text":
      return {
        type: "message",
        id: identifier("msg_"),
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: textOf(block), annotations: [] }],
      };
    case "thought":
      return {
        type: "reasoning",
        id: identifier("rs_"),
        summary: [{ type: "summary_text", text: textOf(block) }],
        encrypted_content: Buffer.from("sealed").toString("base64"),
      };
    case "call":
      return callItem(block.call);
  }
}

function callItem(call: Call): CallItem {
  const { name, namespace } = call.tool;
  const shared = {
    id: identifier("item_"),
    status: "completed",
    call_id: identifier("call_"),
    name,
    ...(namespace === undefined ? {} : { namespace }),
  } as const;
  return "input" in call
    ? { type: "custom_tool_call", ...shared, input: call.input }
    : { type: "function_call", ...shared, arguments: JSON.stringify(call.arguments) };
}
