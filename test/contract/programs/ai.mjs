// A model of the AI SDK as an agent: a scripted model, with tools for what its steps do.
import { aiAgent } from "acp-hall/ai";
import { APICallError, jsonSchema, simulateReadableStream, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { halves, stepsIn } from "./stage.mjs";

const USAGE = { inputTokens: { total: 10 }, outputTokens: { total: 5 } };
const FAILURES = {
  400: "That was a bad request.",
  401: "There is no key.",
  404: "There is no such model.",
  429: "That was too often.",
  529: "The provider is overloaded.",
  long: "This is longer than the maximum context length.",
};

const texts = ({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : []));
const part = (type, words) => [
  { type: `${type}-start`, id: type },
  ...halves(words).map((delta) => ({ type: `${type}-delta`, id: type, delta })),
  { type: `${type}-end`, id: type },
];

/** What the model says, up to its next tool call, when it was told this. */
function said(prompt) {
  const asked = prompt.filter(({ role }) => role === "user");
  const answers = prompt.slice(prompt.lastIndexOf(asked.at(-1)) + 1);
  const results = answers.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
  const called = results.filter(({ type }) => type === "tool-result");
  const steps = stepsIn(texts(asked.at(-1)).join(" "));
  const parts = [];
  let calls = 0;
  for (const [at, step] of steps.entries()) {
    const [verb, what] = Object.entries(step)[0] ?? [];
    const passed = calls < called.length;
    if (["run", "edit", "ask", "plan", "hold"].includes(verb)) {
      const result = called[calls];
      calls += 1;
      if (!passed) {
        const input = JSON.stringify(verb === "plan" ? { entries: what } : what);
        return {
          parts: [
            ...parts,
            { type: "tool-call", toolCallId: `c${asked.length}-${at}`, toolName: verb, input },
          ],
          calls: true,
        };
      }
      if (verb === "ask" && calls === called.length)
        parts.push(...part("text", result.output.type === "execution-denied" ? "refused" : "allowed once"));
      continue;
    }
    if (verb === "limit")
      return {
        parts: [{ type: "tool-call", toolCallId: `l${answers.length}`, toolName: "again", input: "{}" }],
        calls: true,
      };
    // What stands before the last call was said before it.
    if (calls < called.length) continue;
    if (verb === "wait") return { parts, waits: true };
    if (verb === "error") return { failure: what };
    if (verb === "die") process.exit(what);
    if (verb === "unknown") console.log("this is no message");
    if (verb === "say") parts.push(...part("text", what));
    if (verb === "think") parts.push(...part("reasoning", what));
    if (verb === "big") parts.push(...part("text", "x".repeat(what)));
    if (verb === "tell") parts.push(...part("text", `${what}: ${asked.flatMap(texts).join(" | ")}`));
  }
  return { parts };
}

const model = new MockLanguageModelV3({
  async doStream({ prompt, abortSignal }) {
    const { parts = [], calls = false, waits = false, failure } = said(prompt);
    if (failure !== undefined) {
      const statusCode = Number(failure) || 400;
      throw new APICallError({
        message: FAILURES[failure],
        url: "",
        requestBodyValues: {},
        statusCode,
        isRetryable: false,
      });
    }
    const finish = { type: "finish", finishReason: { unified: calls ? "tool-calls" : "stop" }, usage: USAGE };
    const chunks = [{ type: "stream-start", warnings: [] }, ...parts, ...(waits ? [] : [finish])];
    const stream = simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null });
    return { stream: waits ? unending(stream, abortSignal) : stream };
  },
});

/** A stream that stays open until the call is given up. */
function unending(stream, signal) {
  const hold = new TransformStream({
    flush: () => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  return stream.pipeThrough(hold);
}

const any = jsonSchema({ type: "object" });

export default aiAgent({
  name: "played-model",
  model,
  maxRetries: 0,
  contextWindow: 1000,
  kinds: { run: "execute", ask: "execute", hold: "execute", edit: "edit" },
  tools: (turn) => {
    const title = (toolCallId, words) =>
      turn.sendUpdate({ sessionUpdate: "tool_call_update", toolCallId, title: words });
    return {
      run: tool({
        inputSchema: any,
        async execute({ command, output, exit }, { toolCallId }) {
          await title(toolCallId, command);
          if (exit !== 0) throw new Error(output);
          return output;
        },
      }),
      edit: tool({
        inputSchema: any,
        execute({ path, before, after }, { toolCallId }) {
          const content = [{ type: "diff", path, oldText: before, newText: after }];
          return turn.sendUpdate({
            sessionUpdate: "tool_call_update",
            toolCallId,
            locations: [{ path }],
            content,
          });
        },
      }),
      ask: tool({ inputSchema: any, needsApproval: true, execute: () => "done" }),
      plan: tool({
        inputSchema: any,
        execute: ({ entries }) =>
          turn.plan(entries.map((content, at) => ({ content, status: at === 0 ? "completed" : "pending" }))),
      }),
      hold: tool({
        inputSchema: any,
        async execute({ command }, { toolCallId, abortSignal }) {
          await title(toolCallId, command);
          await new Promise((_, reject) => abortSignal.addEventListener("abort", reject));
        },
      }),
      again: tool({ inputSchema: any, execute: () => "again" }),
    };
  },
});
