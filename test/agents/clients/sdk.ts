import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { type Errand, type Outcome, webStreams } from "./errand.ts";

/** Runs an errand with the client of the current ACP SDK. */
export async function runWithSdk(errand: Errand): Promise<Outcome> {
  let text = "";
  let questions = 0;
  const app = client({ name: "an errand" })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
        text += update.content.text;
      }
    })
    .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
      questions++;
      const optionId = options.find((option) => option.kind === "allow_once")?.optionId ?? "";
      return { outcome: { outcome: "selected", optionId } };
    });
  const { output, input, close } = webStreams(errand);
  try {
    return await app.connectWith(ndJsonStream(output, input), async (hall) => {
      await hall.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {},
      });
      const { sessionId } = await hall.request(methods.agent.session.new, {
        cwd: errand.cwd,
        mcpServers: [],
      });
      const { stopReason } = await hall.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: errand.prompt }],
      });
      return { stopReason, text, questions };
    });
  } finally {
    close();
  }
}
