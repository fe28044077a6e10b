import { type Fields, isFields } from "../acp/checks.ts";

/** The text of a message's or a thought's chunk; empty when it holds something else. */
export const textOf = ({ content }: Fields): string =>
  isFields(content) && typeof content.text === "string" ? content.text : "";
