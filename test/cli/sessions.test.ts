import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toAgents } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";
import { documentOf, Household } from "./household.ts";

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "go", name: "Go" },
  ],
};

function homeOf(hall: TestHall) {
  const home = new Household();
  home.env.HALL_CONNECT = `unix:${hall.service.addresses.unix}`;
  return { home, run: (...args: string[]) => home.run(["sessions", ...args]) };
}

const journalOf = (hall: TestHall, sessionId: string): string =>
  readFileSync(join(hall.state, "sessions", sessionId, "updates.jsonl"), "utf8");

describe("hall sessions", () => {
  it("lists, shows and exports what there is, to people and to programs", async () => {
    const hall = await startHall({ slots: { scripted: { ways: { modes } } } });
    const { home, run } = homeOf(hall);
    expect((await run()).stdout).toBe("No session has had a turn yet.\n");
    const client = await hall.connect();
    const sessionId = await client.begin({
      mcpServers: [{ name: "s", command: "/s", args: [], env: [{ name: "KEY", value: "very-secret" }] }],
    });
    await client.prompt(sessionId, "a title\u001b[2J of mine", { "hall/turn": "the key" });
    const list = await run();
    expect(list.stdout).toMatch(/^SESSION +SLOT +STATE +TURNS +SIZE +CHANGED +TITLE\n/);
    expect(list.stdout).toMatch(
      new RegExp(`${sessionId} +scripted +idle +1 +\\d+ B +[-\\d]+ [:\\d]+ +a title`),
    );
    expect(list.stdout).not.toContain("\u001b");
    const size = journalOf(hall, sessionId).length;
    expect(documentOf(await run("list", "--json"))).toMatchObject({
      total: 1,
      sessions: [
        { sessionId, slot: "scripted", turns: 1, bytes: size, state: "idle", clients: 1, agent: true },
      ],
    });
    const shown = await run("show", sessionId.slice(0, 8));
    expect(shown.stdout).toMatch(/the key +[-\d]+ [:\d]+ +\d+\.\d s +end_turn\n/);
    const detail = documentOf(await run("show", sessionId, "--json"));
    expect(detail).toMatchObject({
      sessionId,
      cursor: size,
      history: [{ turn: "the key", stopReason: "end_turn" }],
    });
    const file = join(home.folder, "out.jsonl");
    expect((await run("export", sessionId, "--out", file)).stdout).toBe(
      `${sessionId} is written to ${file}.\n`,
    );
    const [head = "", ...updates] = readFileSync(file, "utf8").split(/(?<=\n)/);
    expect(updates.join("")).toBe(journalOf(hall, sessionId));
    expect(JSON.parse(head).session).toMatchObject({ sessionId, title: expect.any(String) });
    expect(head).not.toContain("very-secret");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run("export", sessionId)).stdout).toBe(readFileSync(file, "utf8"));
  });

  it("resets a session: its next prompt has a new agent session, in the agent's own mode", async () => {
    const hall = await startHall({ slots: { scripted: { ways: { modes } } } });
    const { run } = homeOf(hall);
    const client = await hall.connect();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "before");
    await client.setMode(sessionId, "go");
    expect(documentOf(await run("reset", sessionId, "--json"))).toEqual({ sessionId, reset: true });
    const since = client.received.length;
    await client.prompt(sessionId, [{ tell: "mode" }, { tell: "memory" }]);
    expect(client.texts(sessionId, since)).toMatch(/^mode: askmemory: (?!.*before)/);
    const told = client.updates(sessionId, since);
    expect(told).toContainEqual(expect.objectContaining({ _meta: { "hall/bound": "fresh" } }));
    expect(told).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "ask" });
    expect(toAgents(hall).filter(({ method }) => method === "session/resume")).toEqual([]);
    // And so it stays when the hall was stopped in between.
    await run("reset", sessionId);
    await hall.restart("stop");
    const back = await hall.connect();
    await back.initialize();
    await back.load(sessionId);
    const afterwards = back.received.length;
    await back.prompt(sessionId, [{ tell: "mode" }]);
    expect(back.texts(sessionId, afterwards)).toBe("mode: ask");
  });

  it("closes one that nobody looks at, and deletes one for good", async () => {
    const hall = await startHall({ slots: { scripted: { ways: {} } } });
    const { run } = homeOf(hall);
    const client = await hall.connect();
    const sessionId = await client.begin();
    const point = gate();
    void client.prompt(sessionId, [point.wait]);
    await point.reached();
    expect((await run("close", sessionId)).stdout).toContain("1 clients look on, so what runs goes on");
    client.destroy();
    const lookingOn = (): number | undefined =>
      hall.service.hall.sessions.findLive(sessionId)?.stream.audience.length;
    await expect.poll(lookingOn, { timeout: 15_000 }).toBe(0);
    expect((await run("close", sessionId)).stdout).toBe(`${sessionId} is closed.\n`);
    await expect.poll(() => hall.service.hall.places.taken, { timeout: 15_000 }).toBeLessThan(2);
    expect((await run("delete", sessionId)).stdout).toBe(`${sessionId} is deleted.\n`);
    expect(existsSync(join(hall.state, "sessions", sessionId))).toBe(false);
    const again = await run("delete", sessionId);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("There is no such session")]);
  });

  it("says what is wrong with what was typed", async () => {
    const hall = await startHall({ slots: { scripted: { ways: {} } } });
    const { run } = homeOf(hall);
    expect((await run("list", "--limit", "few")).code).toBe(2);
    expect((await run("shwo")).code).toBe(2);
    const { code, stderr } = await run("show", "hs_");
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no such session")]);
  });
});
