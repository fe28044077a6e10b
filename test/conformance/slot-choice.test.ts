import { describe, expect, it } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { hallWith, joined } from "../doubles/conversation.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { startHall } from "../doubles/start-hall.ts";

const option = (id: string) => ({
  id,
  name: id,
  type: "select",
  currentValue: "s",
  options: [{ value: "s", name: "s" }],
});

/** A session in the first of two slots, whose agents tell themselves apart by their options. */
async function chooser(second: Ways = {}) {
  const hall = await startHall({
    slots: {
      first: { ways: { configOptions: [option("of-first")], commandsWithNew: "after" } },
      second: { ways: { configOptions: [option("of-second")], ...second } },
    },
  });
  const client = await hall.connect();
  await client.initialize();
  return { hall, client, ...(await client.newSession()) };
}

const optionIds = (options: readonly { id: string }[] | null | undefined): unknown =>
  options?.map(({ id }) => id).toSorted();

/** The ids of the options that a client was told of last, in an update. */
const toldOptions = (client: AcpClient, sessionId: string): unknown => {
  const told = client
    .updates(sessionId)
    .findLast(({ sessionUpdate }) => sessionUpdate === "config_option_update");
  return told?.sessionUpdate === "config_option_update" ? optionIds(told.configOptions) : undefined;
};

describe("the slot as an option of the session", () => {
  it("is there when there are several, beside the agent's own", async () => {
    const { configOptions } = await chooser();
    expect(optionIds(configOptions)).toEqual(["hall.slot", "of-first"]);
    expect(configOptions?.find(({ id }) => id === "hall.slot")).toMatchObject({
      type: "select",
      currentValue: "first",
      options: [{ value: "first" }, { value: "second" }],
    });
  });

  it("is not there when there is only one", async () => {
    const client = await (await hallWith()).connect();
    await client.initialize();
    expect((await client.newSession()).configOptions ?? []).toEqual([]);
  });

  it("moves the session to another agent before its first turn, and every client hears of it", async () => {
    const { hall, client, sessionId } = await chooser();
    const other = await joined(hall, sessionId);
    const { configOptions } = await client.setOption(sessionId, "hall.slot", "second");
    expect(optionIds(configOptions)).toEqual(["hall.slot", "of-second"]);
    expect(configOptions.find(({ id }) => id === "hall.slot")).toMatchObject({ currentValue: "second" });
    await client.prompt(sessionId, [{ tell: "options" }]);
    expect(client.texts(sessionId)).toBe('options: {"of-second":"s"}');
    await other.saidMeanwhile();
    for (const each of [client, other]) {
      expect(toldOptions(each, sessionId)).toEqual(["hall.slot", "of-second"]);
      expect(each.updates(sessionId)).toContainEqual({
        sessionUpdate: "available_commands_update",
        availableCommands: [],
      });
    }
  });

  it("is set before the prompts that come after it run", async () => {
    const { client, sessionId } = await chooser();
    const moved = client.setOption(sessionId, "hall.slot", "second");
    const turn = client.prompt(sessionId, [{ tell: "options" }]);
    await Promise.all([moved, turn]);
    expect(client.texts(sessionId)).toBe('options: {"of-second":"s"}');
  });

  it("is fixed after the first turn: -32602, and the menu shows the one slot", async () => {
    const { hall, client, sessionId } = await chooser();
    await client.prompt(sessionId, "hello");
    await expect(client.setOption(sessionId, "hall.slot", "second")).rejects.toMatchObject({ code: -32602 });
    const other = await hall.connect();
    await other.initialize();
    const { configOptions } = await other.load(sessionId);
    expect(configOptions?.find(({ id }) => id === "hall.slot")).toMatchObject({
      currentValue: "first",
      options: [{ value: "first" }],
    });
  });

  it("stays as it was when the other agent cannot be had", async () => {
    const { client, sessionId } = await chooser({ exitAtStart: { code: 1, stderr: "no licence\n" } });
    await expect(client.setOption(sessionId, "hall.slot", "second")).rejects.toMatchObject({
      message: expect.any(String),
    });
    await client.prompt(sessionId, [{ tell: "options" }]);
    expect(client.texts(sessionId)).toBe('options: {"of-first":"s"}');
  });

  it("to a slot that there is not is -32602", async () => {
    const { client, sessionId } = await chooser();
    await expect(client.setOption(sessionId, "hall.slot", "third")).rejects.toMatchObject({ code: -32602 });
  });
});
