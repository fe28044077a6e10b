import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { type SlotOptions, startHall, type TestHall } from "../doubles/start-hall.ts";

/** The address of a hall's TCP port. */
const addressOf = (hall: TestHall): string => `tcp://${hall.service.addresses.tcp}`;

/** Two halls, the second one behind the slot `far` of the first; and a client of the first. */
async function twoHalls(far: Record<string, SlotOptions>, slot: SlotOptions = {}) {
  const second = await startHall({ slots: far });
  const first = await startHall({ slots: { far: { hall: addressOf(second), ...slot } } });
  const client = await first.connect();
  return { first, second, client };
}

const modes = {
  currentModeId: "ask",
  availableModes: ["ask", "code"].map((id) => ({ id, name: id })),
};

describe("a hall behind a hall", () => {
  it("is prompted as any agent is, and streams what its agent says, in order", async () => {
    const { client, second } = await twoHalls({ a: { ways: {} } });
    const session = await client.begin();
    const answer = await client.prompt(session, [{ say: ["one ", "two"] }]);
    expect(answer.stopReason).toBe("end_turn");
    expect(client.texts(session)).toBe("one two");
    const [agent] = second.agents();
    expect(JSON.stringify(agent?.received)).not.toMatch(/"hall\//);
  });

  it("runs the slot that is named, and its own menu of slots does not reach our clients", async () => {
    const { client } = await twoHalls(
      { a: { ways: {} }, b: { ways: { configOptions: [option], modes } } },
      { slot: "b" },
    );
    await client.initialize();
    const made = await client.newSession();
    expect(made.configOptions).toEqual([option]);
    expect(made.modes).toEqual(modes);
    const { configOptions } = await client.setOption(made.sessionId, "effort", "high");
    expect(configOptions).toEqual([{ ...option, currentValue: "high" }]);
    await client.setMode(made.sessionId, "code");
    await client.prompt(made.sessionId, [{ tell: "mode" }, { tell: "options" }]);
    expect(client.texts(made.sessionId)).toMatch(/mode: code.*high/s);
    expect(JSON.stringify(client.messages)).not.toContain("hall.slot");
  });

  it("asks the people of this hall, and hears their answer", async () => {
    const { client } = await twoHalls({ a: { ways: {} } });
    const session = await client.begin();
    const prompted = client.prompt(session, [{ ask: { tool: { id: "t1", title: "Delete it" } } }]);
    const question = await client.question();
    expect(question.params.toolCall).toMatchObject({ title: "Delete it" });
    question.select("allow");
    await prompted;
    expect(client.texts(session)).toBe("asked: selected allow");
  });
});

const option = {
  id: "effort",
  name: "Effort",
  type: "select",
  currentValue: "low",
  options: ["low", "high"].map((value) => ({ value, name: value })),
};
