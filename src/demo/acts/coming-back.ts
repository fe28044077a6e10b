import { randomUUID } from "node:crypto";
import { pause } from "../../ground/clock.ts";
import { RequestFailed } from "../../wire/peer.ts";
import type { Act } from "../act.ts";

/** How far the agent counts, and how far it is when the connection breaks. */
const END = 100;
const CUT_AT = 10;

export const comingBack: Act = {
  title: "The connection breaks, and comes back",
  caption:
    "A laptop sleeps, an editor restarts. The session is the hall's, so the agent works on. Whoever comes back " +
    "gets what was missed, and then what happens.",
  async play({ connect, cwd, painter, clock, tempo }) {
    const before = await connect();
    const sessionId = await before.newSession(cwd);
    const text = `Be slow, count to ${END}.`;
    // Under this key the turn can be found again.
    const key = randomUUID();
    const prompt = unanswered(before.prompt(sessionId, text, { key }));
    const cut = before.sees("agent_message_chunk", `${CUT_AT} `).then(() => {
      before.cut();
      painter.note(`The connection is cut, after ${before.updates} updates. Nobody is there now.`);
    });
    await Promise.all([prompt, cut]);
    await pause(clock, tempo.away);
    const client = await connect();
    painter.note("A new connection loads the session. First its history:");
    await client.load(sessionId, cwd, () =>
      painter.note(`That was the history, ${client.updates} updates. From here on it is live:`),
    );
    await client.prompt(sessionId, text, { key });
    if (!client.said.includes(counted(END))) throw new Error(`What came back is not whole: ${client.said}`);
    painter.note(`Every number from 1 to ${END} is there once: no gap, nothing twice.`);
    client.leave();
  },
};

/** Resolves when the answer was lost with the connection, as it should be. */
async function unanswered(prompt: Promise<string>): Promise<void> {
  const answer = await prompt.catch((error: unknown) => {
    if (error instanceof RequestFailed && error.lost) return undefined;
    throw error;
  });
  if (answer !== undefined) throw new Error(`The turn was over before the connection was cut: ${answer}.`);
}

const counted = (end: number): string => Array.from({ length: end }, (_, index) => `${index + 1} `).join("");
