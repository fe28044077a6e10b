import { MockLanguageModelV3, simulateReadableStream } from "ai/test";

type StreamResult = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>;
type Part = StreamResult["stream"] extends ReadableStream<infer P> ? P : never;
type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";

/** Tokens that each step of a test model says it used. */
const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

export const text = (...deltas: string[]): Part[] => [
  { type: "text-start", id: "t" },
  ...deltas.map((delta): Part => ({ type: "text-delta", id: "t", delta })),
  { type: "text-end", id: "t" },
];

export const reasoning = (...deltas: string[]): Part[] => [
  { type: "reasoning-start", id: "r" },
  ...deltas.map((delta): Part => ({ type: "reasoning-delta", id: "r", delta })),
  { type: "reasoning-end", id: "r" },
];

export const call = (toolCallId: string, toolName: string, input: object): Part => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

export const finish = (reason: FinishReason): Part => ({
  type: "finish",
  finishReason: { unified: reason, raw: reason },
  usage: USAGE,
});

/** The AI SDK's own test model, which answers these steps one after another. */
export const model = (...steps: Part[][]): MockLanguageModelV3 =>
  new MockLanguageModelV3({
    doStream: steps.map((parts) => ({
      stream: simulateReadableStream({
        chunks: [{ type: "stream-start", warnings: [] }, ...parts],
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    })),
  });
