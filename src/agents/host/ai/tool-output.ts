import { inspect } from "node:util";
import { messageOf } from "../../../ground/thrown.ts";

/**
 * What a tool answers, at once or in parts, as the AI SDK takes it: rejects where JSON cannot hold it, so that the
 * model is told that the tool failed, and the conversation is one that can be sent and kept.
 */
export function jsonOutput<Output>(toolName: string, answer: Output): unknown {
  if (isAsyncIterable(answer)) return jsonParts(toolName, answer);
  return Promise.resolve(answer).then((output) => asJson(toolName, output));
}

async function* jsonParts(toolName: string, parts: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const part of parts) yield asJson(toolName, part);
}

function asJson(toolName: string, output: unknown): unknown {
  const why = faultOf(output);
  if (why === undefined) return output;
  throw new TypeError(`The tool ${toolName} answered what JSON cannot hold: ${why}`);
}

/** What a client is shown of an output: itself, or in words where JSON cannot hold it. */
export const shownOutput = (output: unknown): unknown =>
  faultOf(output) === undefined ? output : inspect(output, { depth: 4 });

function faultOf(output: unknown): string | undefined {
  try {
    JSON.stringify(output);
    return undefined;
  } catch (error) {
    const [firstLine = ""] = messageOf(error).split("\n");
    return firstLine;
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;
