import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { script } from "../doubles/scripted-agent/script.ts";
import { Household } from "./household.ts";

describe("hall acp behind the ACP SDK's client", () => {
  it("runs a turn with a question, starting the hall itself", async () => {
    const home = new Household();
    home.ownRoster({ scripted: { ways: {} } });
    const acp = home.start(["acp"]);
    let text = "";
    const app = client({ name: "editor" })
      .onNotification(methods.client.session.update, ({ params: { update } }) => {
        if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
          text += update.content.text;
      })
      .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
        const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId ?? "";
        return { outcome: { outcome: "selected", optionId } };
      });
    const stream = ndJsonStream(Writable.toWeb(acp.child.stdin), Readable.toWeb(acp.child.stdout));
    const stopReason = await app.connectWith(stream, async (hall) => {
      await hall.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {},
      });
      const { sessionId } = await hall.request(methods.agent.session.new, { cwd: home.work, mcpServers: [] });
      const answer = await hall.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: script({ say: "asking. " }, { ask: { tool: { id: "t" } } }) }],
      });
      return answer.stopReason;
    });
    expect(stopReason).toBe("end_turn");
    expect(text).toBe("asking. asked: selected allow");
    acp.child.stdin.end();
    expect((await acp.finished).code).toBe(0);
  });
});
