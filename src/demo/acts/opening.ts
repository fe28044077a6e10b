import type { Act } from "../act.ts";

export const opening: Act = {
  title: "A hall opens",
  caption:
    "A process that stays: agents run behind it, editors come and go in front of it. This one has a single slot, " +
    "the built-in agent, which needs no key. What you look at is its client, as an editor would be.",
  async play({ hall, painter, connect }) {
    const { host, port } = await hall.open();
    painter.note(`The hall is open: process ${hall.pid}, TCP ${host}:${port}.`);
    const client = await connect();
    painter.note(`Connected over TCP, speaking ACP version ${client.protocolVersion}.`);
    client.leave();
  },
};
