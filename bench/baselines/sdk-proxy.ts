import { Readable, Writable } from "node:stream";
import {
  type AgentConnection,
  agent as agentApp,
  type ClientConnection,
  client as clientApp,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk";
import { serveAgent } from "./served-agent.ts";

/** A relay as one writes it with ACP's own SDK: its client app in front of the agent, its agent app behind the client. */
serveAgent((socket, { stdin, stdout }) => {
  const front: AgentConnection = agentApp({ name: "proxy" })
    .onRequest(methods.agent.initialize, ({ params }) => back.agent.request(methods.agent.initialize, params))
    .onRequest(methods.agent.session.new, ({ params }) =>
      back.agent.request(methods.agent.session.new, params),
    )
    .onRequest(methods.agent.session.prompt, ({ params }) =>
      back.agent.request(methods.agent.session.prompt, params),
    )
    .connect(ndJsonStream(Writable.toWeb(socket), Readable.toWeb(socket) as ReadableStream<Uint8Array>));
  const back: ClientConnection = clientApp({ name: "proxy" })
    .onNotification(methods.client.session.update, ({ params }) =>
      front.client.notify(methods.client.session.update, params),
    )
    .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>));
});
