import type { Act } from "../act.ts";

/** The number at which the agent is stopped. */
const ENOUGH = 12;

export const cancel: Act = {
  title: "A cancel",
  caption:
    "A turn that leads nowhere is ended at once. An agent that would not listen is ended by the hall, step by " +
    "step; the session stays.",
  async play({ connect, cwd, painter, clock }) {
    const client = await connect();
    const sessionId = await client.newSession(cwd);
    let since = 0;
    const turn = client.prompt(sessionId, "Be slow, count to 500.", {
      answered: () =>
        painter.note(`The answer came ${Math.ceil(clock.monotonic() - since)} ms after the cancel.`),
    });
    const stop = client.sees("agent_message_chunk", `${ENOUGH} `).then(() => {
      painter.note("A cancel is sent.");
      since = clock.monotonic();
      client.cancel(sessionId);
    });
    const [stopReason] = await Promise.all([turn, stop]);
    if (stopReason !== "cancelled") throw new Error(`The cancelled turn ended with ${stopReason}.`);
    client.leave();
  },
};
