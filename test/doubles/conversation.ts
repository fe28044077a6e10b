import type { AcpClient } from "./acp-client.ts";
import { messagesTo } from "./agent-transcripts.ts";
import type { Message } from "./message.ts";
import type { JsonObject, Ways } from "./scripted-agent/ways.ts";
import { type HallOptions, startHall, type TestHall } from "./start-hall.ts";

export interface Conversation {
  hall: TestHall;
  client: AcpClient;
  sessionId: string;
}

/** A hall with one slot, in which a scripted agent runs. */
export const hallWith = (ways: Ways = {}, options: Partial<HallOptions> & { slot?: JsonObject } = {}) => {
  const { slot, ...others } = options;
  return startHall({ slots: { scripted: { ways, ...slot } }, ...others });
};

/** A hall with one scripted slot, a client that is initialized, and a session of its. */
export async function converse(
  ways: Ways = {},
  options: Partial<HallOptions> & { slot?: JsonObject } = {},
): Promise<Conversation> {
  const hall = await hallWith(ways, options);
  const client = await hall.connect();
  return { hall, client, sessionId: await client.begin() };
}

/** Another client of the hall, initialized and attached to a session by a load. */
export async function joined(hall: TestHall, sessionId: string, initialize?: JsonObject): Promise<AcpClient> {
  const client = await hall.connect();
  await client.initialize(initialize);
  await client.load(sessionId);
  return client;
}

/** What came to a client from line number `since` on, in words: methods, and answers by their id. */
export const inOrder = (client: AcpClient, since = 0): string[] =>
  client.messages
    .slice(since)
    .map(({ id, method }) => (typeof method === "string" ? method : `answer ${JSON.stringify(id)}`));

/** Everything that the hall wrote to its scripted agents, process by process. */
export const toAgents = (hall: TestHall): Message[] => hall.agents().flatMap(messagesTo);

/** The texts of the prompts that agents got, in order; a script is its JSON. */
export function promptsTo(hall: TestHall): string[] {
  return toAgents(hall)
    .filter(({ method }) => method === "session/prompt")
    .map(({ params }) => JSON.stringify(params));
}
