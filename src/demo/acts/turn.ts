import type { Act } from "../act.ts";

export const turn: Act = {
  title: "A turn",
  caption:
    "You say something. The agent thinks, speaks, plans, and wants to use a tool: it may not until somebody " +
    "says yes.",
  async play({ connect, cwd }) {
    const client = await connect();
    await client.prompt(await client.newSession(cwd), "Hello! Give me the tour.");
    client.leave();
  },
};
