import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { StreamEvent } from "./apis/api.ts";
import type { Silence } from "./script/answer.ts";

/** Sends an answer as server-sent events, as fast as the client reads. Ends early when the client hangs up. */
export async function sendStream(
  response: ServerResponse,
  events: Iterable<StreamEvent | Silence>,
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  for (const event of events) {
    if (gone.aborted || response.destroyed) return;
    if ("data" in event) await send(response, event, gone);
    else await keep(event, response, gone);
  }
  response.end();
}

/** Keeps a silence: waits, or drops the connection. */
export async function keep(silence: Silence, response: ServerResponse, gone: AbortSignal): Promise<void> {
  if ("cut" in silence) response.destroy();
  else await untilGone(pause(silence.wait, undefined, { signal: gone }), gone);
}

async function send(response: ServerResponse, { name, data }: StreamEvent, gone: AbortSignal): Promise<void> {
  const head = name === undefined ? "" : `event: ${name}\n`;
  const taken = response.write(`${head}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  if (!taken) await untilGone(once(response, "drain", { signal: gone }), gone);
}

/** A wait that the client's going away ends is no failure. */
async function untilGone(wait: Promise<unknown>, gone: AbortSignal): Promise<void> {
  try {
    await wait;
  } catch (error) {
    if (!gone.aborted) throw error;
  }
}
