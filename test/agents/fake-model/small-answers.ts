import { PROMPT_TOKENS } from "./apis/tokens.ts";

const MODEL = "fake-model";

/**
 * What is asked beside the conversations: token counts, the models there are (one document that all providers'
 * clients can read), whether anyone is there. Undefined: there is no such thing here.
 */
export function smallAnswer(method: string, path: string): object | undefined {
  if (method === "POST" && path.endsWith("/count_tokens")) return { input_tokens: PROMPT_TOKENS };
  if (method === "POST" && path.endsWith(":countTokens")) return { totalTokens: PROMPT_TOKENS };
  if (method === "GET" && path.endsWith("/models")) return MODELS;
  if (path === "/") return {};
  return undefined;
}

const MODELS = {
  object: "list",
  data: [{ id: MODEL, object: "model", type: "model", display_name: MODEL, created: 0, owned_by: "nobody" }],
  has_more: false,
  models: [{ name: `models/${MODEL}`, displayName: MODEL, supportedGenerationMethods: ["generateContent"] }],
};
