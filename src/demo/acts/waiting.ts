import type { Act } from "../act.ts";

export const waiting: Act = {
  title: "Two prompts at once",
  caption:
    "A second prompt comes while the first one runs. It is neither refused nor mixed in: a session takes one turn " +
    "at a time, in order.",
  async play({ connect, cwd, painter }) {
    const client = await connect();
    const sessionId = await client.newSession(cwd);
    const first = client.prompt(sessionId, "Show me a plan.", {
      answered: () => painter.note("The first is done. Now the second one has its turn:"),
    });
    const second = client.sees("plan").then(() => {
      painter.note("A second prompt is sent: “Think aloud.” It waits.");
      return client.prompt(sessionId, "Think aloud.");
    });
    await Promise.all([first, second]);
    client.leave();
  },
};
