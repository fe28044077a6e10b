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

/** Plain JSON, as it will be when it is kept and told again: a date is its text from the beginning. */
function asJson(toolName: string, output: unknown): unknown {
  if (output === undefined) return undefined;
  try {
    return throughJson(output);
  } catch (error) {
    const [why = ""] = messageOf(error).split("\n");
    throw new TypeError(`The tool ${toolName} answered what JSON cannot hold: ${why}`);
  }
}

function throughJson(value: unknown): unknown {
  const text: unknown = JSON.stringify(value);
  if (typeof text !== "string") throw new TypeError(`${typeof value} is no value of JSON.`);
  return JSON.parse(text);
}

/** What a client is shown of an output: itself, or in words where JSON cannot hold it. */
export function shownOutput(output: unknown): unknown {
  if (output === undefined) return undefined;
  try {
    return throughJson(output);
  } catch {
    return inspect(output, { depth: 4 });
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;
