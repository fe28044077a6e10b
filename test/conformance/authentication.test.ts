import { describe, expect, it } from "vitest";
import { hallWith, toAgents } from "../doubles/conversation.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const key = { id: "key", name: "An API key" };
const capabilities = { sessionCapabilities: {}, auth: { logout: {} } };

async function initialized(ways: Ways) {
  const hall = await hallWith({ stateFile: `${temporaryFolder()}/state`, ...ways });
  const client = await hall.connect();
  return { hall, client, answer: await client.initialize() };
}

describe("an agent's login", () => {
  it("[ACP-AUTH-001] is offered as the agent offers it, each way once", async () => {
    const { answer } = await initialized({ authMethods: [key, { id: "oauth", name: "In the browser" }] });
    expect(answer.authMethods).toMatchObject([{ id: "key" }, { id: "oauth" }]);
  });

  // ACP ties it to a client capability. A hall's agents are on another machine: `hall login` runs it there.
  it.each([{}, { auth: { terminal: true } }])(
    "[ACP-AUTH-002] in a terminal is never offered, also to a client that says %j",
    async (clientCapabilities) => {
      const hall = await hallWith({
        authMethods: [
          key,
          { id: "tty", name: "In a terminal", type: "terminal", args: ["login"] },
          { id: "meta", name: "Also in a terminal", _meta: { "terminal-auth": { command: "x" } } },
        ],
      });
      const client = await hall.connect();
      const { authMethods } = await client.initialize({ clientCapabilities });
      expect(authMethods?.map(({ id }) => id)).toEqual(["key"]);
    },
  );

  it("[C30, ACP-AUTH-003, K-48] is relayed, and a session that needed it is made afterwards", async () => {
    const { hall, client } = await initialized({ needsAuth: true, authMethods: [key] });
    await expect(client.newSession()).rejects.toMatchObject({ code: -32000, data: { authMethods: [key] } });
    expect(await client.authenticate("key")).toEqual({});
    expect(toAgents(hall).filter(({ method }) => method === "authenticate")).toMatchObject([
      { params: { methodId: "key" } },
    ]);
    expect(await client.newSession()).toMatchObject({ sessionId: expect.any(String) });
  });

  it("[C30] that fails is the agent's own error", async () => {
    const { client } = await initialized({ authMethods: [key] });
    await expect(client.authenticate("none")).rejects.toMatchObject({
      code: -32602,
      message: "There is no way to authenticate called none.",
    });
  });

  it("[C30] is still asked for as -32000 of a client that logs in by itself: that error is the agent's", async () => {
    const hall = await hallWith({ needsAuth: true, authMethods: [key] });
    const client = await hall.connect();
    await client.initialize({ clientCapabilities: { auth: { terminal: true } } });
    await expect(client.newSession()).rejects.toMatchObject({ code: -32000, data: { authMethods: [key] } });
  });

  it("[C30, ACP-AUTH-004] is given up by logout, where the agent has that", async () => {
    const { client, answer } = await initialized({ needsAuth: true, authMethods: [key], capabilities });
    expect(answer.agentCapabilities).toMatchObject({ auth: { logout: {} } });
    await client.authenticate("key");
    await client.newSession();
    expect(await client.logout()).toEqual({});
    await expect(client.newSession()).rejects.toMatchObject({ code: -32000 });
  });

  it("[C30] cannot be given up where the agent has no logout", async () => {
    const { client, answer } = await initialized({ authMethods: [key] });
    expect(answer.agentCapabilities?.auth?.logout ?? null).toBe(null);
    await expect(client.logout()).rejects.toMatchObject({ code: -32601 });
  });

  it("[ACP-AUTH-005] that nobody offers is not asked for", async () => {
    const { client, answer } = await initialized({});
    expect(answer.authMethods ?? []).toEqual([]);
    expect(await client.newSession()).toMatchObject({ sessionId: expect.any(String) });
  });
});
