import { describe, expect, it } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { script } from "../doubles/scripted-agent/script.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";
import { Household } from "./household.ts";
import { atTerminal, hasTerminals } from "./terminal.ts";

const QUESTION = { tool: { id: "1", title: "Run the tests", kind: "execute" } };

async function place(): Promise<{ hall: TestHall; home: Household; editor: AcpClient }> {
  const hall = await startHall({ slots: { scripted: { ways: {} } } });
  const home = new Household();
  home.env.HALL_CONNECT = `unix:${hall.service.addresses.unix}`;
  const editor = await hall.connect();
  await editor.initialize();
  return { hall, home, editor };
}

describe("hall attach", () => {
  it("follows a session from now on, and with --from start from its start, until Ctrl-C", async () => {
    const { home, editor } = await place();
    const { sessionId } = await editor.newSession();
    await editor.prompt(sessionId, [{ say: "before" }]);
    const now = home.start(["attach", sessionId]).read();
    await now.says("Ctrl-C leaves; it goes on.");
    await editor.prompt(sessionId, [{ say: "after" }, { plan: ["look"] }]);
    await now.says("· look");
    now.signal("SIGINT");
    const { code, stdout, stderr } = await now.finished;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "after\n" });
    expect(stderr).toContain(`› ${script({ say: "after" }, { plan: ["look"] })}`);

    const start = home.start(["attach", sessionId.slice(0, 12), "--from", "start"]).read();
    await start.says("· look");
    await start.says("end_turn");
    start.signal("SIGINT");
    const whole = await start.finished;
    expect(whole).toMatchObject({ code: 0, stdout: "before\nafter\n" });
    expect(whole.stderr).toMatch(/The turn ended after \d+\.\d s: end_turn\./);
  });

  it("prints one update a line with --json, as clients get them", async () => {
    const { home, editor } = await place();
    const { sessionId } = await editor.newSession();
    await editor.prompt(sessionId, [{ say: "hello" }]);
    const running = home.start(["attach", sessionId, "--from", "start", "--json"]).read();
    await running.says('hello"}');
    running.signal("SIGINT");
    const { stdout, stderr } = await running.finished;
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ sessionId: of, update }) => [of, update.sessionUpdate])).toEqual([
      [sessionId, "user_message_chunk"],
      [sessionId, "agent_message_chunk"],
    ]);
    expect(stderr).toBe("");
  });

  it("shows questions, and leaves them to others", async () => {
    const { home, editor } = await place();
    const { sessionId } = await editor.newSession();
    const running = home.start(["attach", sessionId]).read();
    await running.says("Ctrl-C leaves");
    const turn = editor.prompt(sessionId, [{ ask: QUESTION }]);
    await running.says("? Run the tests  execute");
    (await editor.question()).select("allow");
    await turn;
    await running.says("It is no longer asked.");
    expect(editor.texts(sessionId)).toBe("asked: selected allow");
  });

  it.runIf(hasTerminals)(
    "answers questions at its terminal with --approve, of a turn that nobody else looks at",
    async () => {
      const { hall, home, editor } = await place();
      const { sessionId } = await editor.newSession();
      const { code, stderr } = await home.run(["attach", sessionId, "--approve"]);
      expect(code).toBe(2);
      expect(stderr).toContain("--approve asks at a terminal");
      const inside = await home.run(["attach", sessionId, "--approve"], { env: { HALL_PROCESS: "x" } });
      expect(inside).toMatchObject({ code: 4, stderr: expect.stringContaining("refused inside one") });
      const running = atTerminal(home, ["attach", sessionId, "--approve"], { NO_COLOR: "1" });
      await running.says("Ctrl-C leaves");
      await home.run(["prompt", "--detach", "--session", sessionId, script({ ask: QUESTION }, { say: "!" })]);
      await running.says("(n)\r\n› ");
      running.child.stdin.write("y");
      await running.says("asked: selected allow!");
      running.child.stdin.write("\x03");
      const { code: left, stdout } = await running.finished;
      expect(left).toBe(0);
      expect(stdout).toContain(`hall chat --session ${sessionId}`);
      expect(hall.service.hall.sessions.size).toBe(1);
    },
  );

  it("says that there is no such session, also when it is somebody else's", async () => {
    const { hall, home, editor } = await place();
    const { sessionId } = await editor.newSession();
    await editor.prompt(sessionId, [{ say: "hello" }]);
    const unknown = await home.run(["attach", "hs_none"]);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no session hs_none"),
    });
    const env = {
      HALL_CONNECT: `tcp://${hall.service.addresses.tcp}`,
      HALL_TOKEN: hall.token("guest", { scopes: ["observe"] }),
    };
    const others = await home.run(["attach", sessionId], { env });
    expect(others).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no session ${sessionId}`),
    });
  });
});
