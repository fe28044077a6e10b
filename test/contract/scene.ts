import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AcpClient } from "../doubles/acp-client.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import type { Kind } from "./kinds.ts";
import type { Step } from "./step.ts";

/** A client in a session of a hall whose one slot is of this kind. */
export interface Scene {
  readonly hall: TestHall;
  readonly client: AcpClient;
  readonly sessionId: string;
  prompt(...steps: Step[]): ReturnType<AcpClient["prompt"]>;
}

export async function play(kind: Kind, slot: object = {}): Promise<Scene> {
  const home = join(temporaryFolder(), "home");
  mkdirSync(home);
  const hall = await startHall({
    slots: { [kind.name]: { ...(await kind.slot(home)), ...slot } },
    roster: { cancel_grace: "10s" },
  });
  const client = await hall.connect();
  const sessionId = await client.begin();
  return { hall, client, sessionId, prompt: (...steps) => client.prompt(sessionId, kind.words(steps)) };
}

/** The thoughts that a client heard, as one text. */
export const thoughts = (client: AcpClient, sessionId: string): string =>
  client
    .updates(sessionId)
    .map((update) =>
      update.sessionUpdate === "agent_thought_chunk" && update.content.type === "text"
        ? update.content.text
        : "",
    )
    .join("");

/** What was told of tool calls: each by its id, all that was said of it laid over one another, in order. */
export function toolCalls(client: AcpClient, sessionId: string) {
  const calls = new Map<string, { begun: number; statuses: string[]; last: Record<string, unknown> }>();
  for (const update of client.updates(sessionId)) {
    if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
    const call = calls.get(update.toolCallId) ?? { begun: 0, statuses: [], last: {} };
    calls.set(update.toolCallId, call);
    if (update.sessionUpdate === "tool_call") call.begun += 1;
    if (update.status && call.statuses.at(-1) !== update.status) call.statuses.push(update.status);
    const { content } = update;
    call.last = { ...call.last, ...update, ...(content ? { content } : {}) };
  }
  return [...calls.values()];
}
