import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import type { Order } from "./order.ts";

/**
 * An ACP agent that costs as little as one can: what it streams is made once, and written 64 KiB at a time. It waits
 * when nobody takes what it wrote, and says with its answer how long the whole took it.
 */

/** As long as a hall's own session ids, so that a line has the same bytes on both sides of a hall. */
const SESSION_ID_LENGTH = 35;
const WRITE_BYTES = 64 * 1024;

let sessions = 0;

const send = (message: object): boolean => process.stdout.write(`${JSON.stringify(message)}\n`);

const answer = (id: unknown, result: object): boolean => send({ jsonrpc: "2.0", id, result });

function lineOf(sessionId: string, text: string): string {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } })}\n`;
}

/** Resolves when the other side has room again. */
async function write(bytes: Buffer | string): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
}

async function stream(sessionId: string, { updates, text, numbered = false, rest }: Order): Promise<void> {
  const textOf = (number: number): string =>
    numbered ? String(number).padStart(12, "0").padEnd(text, ".") : ".".repeat(text);
  const lineBytes = lineOf(sessionId, textOf(0)).length;
  const linesAtOnce = Math.max(1, Math.floor(WRITE_BYTES / lineBytes));
  const same = numbered ? undefined : Buffer.from(lineOf(sessionId, textOf(0)).repeat(linesAtOnce));
  for (let sent = 0; sent < updates; ) {
    const count = Math.min(linesAtOnce, updates - sent);
    if (same) await write(same.subarray(0, count * lineBytes));
    else await write(Array.from({ length: count }, (_, n) => lineOf(sessionId, textOf(sent + n))).join(""));
    sent += count;
    if (rest !== undefined) await setTimeout(rest);
  }
}

interface Request {
  id?: unknown;
  method?: string;
  params?: { sessionId: string; prompt: [{ text: string }] };
}

async function serve({ id, method, params }: Request): Promise<void> {
  switch (method) {
    case "initialize":
      answer(id, { protocolVersion: 1, agentCapabilities: {}, authMethods: [] });
      break;
    case "session/new":
      sessions += 1;
      answer(id, { sessionId: `bench_${process.pid}_${sessions}`.padEnd(SESSION_ID_LENGTH, "_") });
      break;
    case "session/prompt": {
      if (!params) break;
      const begun = performance.now();
      await stream(params.sessionId, JSON.parse(params.prompt[0].text) as Order);
      answer(id, { stopReason: "end_turn", _meta: { "bench/ms": performance.now() - begun } });
      break;
    }
    default:
      if (id !== undefined) answer(id, {});
  }
}

for await (const line of createInterface({ input: process.stdin })) await serve(JSON.parse(line) as Request);
