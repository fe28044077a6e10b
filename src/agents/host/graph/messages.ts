import { isFields } from "../../../acp/checks.ts";

/** The text of an assistant's message, of LangChain's kinds or a plain `{ role, content }`; undefined for any other. */
export function assistantText(message: unknown): string | undefined {
  if (!isFields(message)) return undefined;
  const { type, role, content } = message;
  const getType: unknown = message.getType;
  const kind = typeof getType === "function" ? Reflect.apply(getType, message, []) : (type ?? role);
  return kind === "ai" || kind === "assistant" ? textOf(content) : undefined;
}

/** The last that the assistant said. */
export function lastAssistantText(messages: unknown): string {
  const texts = (Array.isArray(messages) ? messages : []).flatMap((message) => assistantText(message) ?? []);
  return texts.at(-1) ?? "";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part) => (isFields(part) && typeof part.text === "string" ? [part.text] : []))
    .join("");
}
