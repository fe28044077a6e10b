import { serveAgent } from "./served-agent.ts";

/** What Node itself carries between an agent and a socket. */
serveAgent((socket, agent) => {
  agent.stdout.pipe(socket);
  socket.pipe(agent.stdin);
});
