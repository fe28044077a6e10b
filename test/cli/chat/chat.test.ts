import { describe, expect, it, onTestFinished } from "vitest";
import { allowedKinds } from "../../../src/cli/answers.ts";
import { Chat, type Standing } from "../../../src/cli/chat/chat.ts";
import type { Wish } from "../../../src/cli/chat/chat-session.ts";
import { TerminalQuestions } from "../../../src/cli/terminal-questions.ts";
import { systemClock } from "../../../src/ground/clock.ts";
import { script } from "../../doubles/scripted-agent/script.ts";
import { startHall, type TestHall } from "../../doubles/start-hall.ts";
import { Household } from "../household.ts";
import { FakeKeys, FakeScreen } from "../screens.ts";

const DIFF = { type: "diff", path: "/a.ts", oldText: "let x\n", newText: "const x\n" };
const QUESTION = { tool: { id: "1", title: "Run the tests", kind: "execute" } };

/** A hall's socket, and where new sessions work. */
interface Place {
  path: string;
  cwd: string;
}

class TestChat {
  readonly screen = new FakeScreen(true);
  readonly keys = new FakeKeys();
  readonly chat: Chat;

  constructor({ path, cwd }: Place, allow?: string) {
    this.chat = new Chat({
      address: { path },
      clock: systemClock,
      version: "0",
      cwd,
      allowed: allowedKinds(allow),
      out: this.screen,
      aside: this.screen,
      isAttended: true,
      terminal: (view) =>
        new TerminalQuestions({
          keys: this.keys,
          screen: this.screen,
          view,
          // Nobody has to be given time to read here.
          clock: { ...systemClock, after: (_ms, ring) => systemClock.after(0, ring) },
          interrupt: () => this.chat.interrupt(),
        }),
      changed() {},
    });
    onTestFinished(() => this.chat.leave());
  }

  get standing(): Standing {
    return this.chat.standing;
  }

  async shows(text: string): Promise<void> {
    await expect.poll(() => this.screen.plain, { timeout: 10_000, interval: 5 }).toContain(text);
  }

  async types(text: string): Promise<void> {
    await this.chat.typed(text);
  }

  /** A whole turn. */
  async prompts(...steps: Parameters<typeof script>): Promise<void> {
    await this.chat.typed(script(...steps));
    await this.chat.untilIdle();
  }
}

const chatIn = (hall: TestHall, wish?: Wish, allow?: string): Promise<TestChat> =>
  chatAt({ path: hall.service.addresses.unix, cwd: hall.work }, wish, allow);

async function chatAt(place: Place, wish?: Wish, allow?: string): Promise<TestChat> {
  const chat = new TestChat(place, allow);
  chat.chat.begin(wish ?? { slot: undefined, cwd: place.cwd });
  // Nothing is typed: that is done when it has begun.
  await Promise.race([chat.types(""), chat.chat.over]);
  return chat;
}

const scripted = (): Promise<TestHall> =>
  startHall({ slots: { scripted: { ways: {} }, other: { ways: {}, description: "another one" } } });

describe("a chat", () => {
  it("shows a prompt when its turn begins, and what follows, a change of files line by line", async () => {
    const chat = await chatIn(await scripted());
    const tool = { id: "1", title: "Edit", kind: "edit", content: [DIFF], status: "completed" };
    await chat.prompts({ say: "hello" }, { tool });
    expect(chat.screen.plain).toContain('› [{"say":"hello"}');
    expect(chat.screen.plain).toMatch(/\n\nhello\n\n✓ Edit\n {4}\/a\.ts\n {4}- let x\n {4}\+ const x\n$/);
  });

  it("asks in place, and goes on with the answer; --allow spares questions", async () => {
    const hall = await scripted();
    const chat = await chatIn(hall);
    await chat.types(script({ ask: QUESTION }));
    await chat.shows("› [");
    await chat.shows("Reject (n)\n› ");
    chat.keys.press("y");
    await chat.chat.untilIdle();
    expect(chat.screen.plain).toContain("asked: selected allow");
    const allowing = await chatIn(hall, undefined, "execute");
    await allowing.prompts({ ask: QUESTION });
    expect(allowing.screen.plain).toContain("! allowed: Run the tests");
  });

  it("has a prompt wait that is sent while a turn runs, and shows it until its turn begins", async () => {
    const chat = await chatIn(await scripted());
    await chat.types(script({ say: "working" }, { wait: "cancel" }));
    await chat.shows("working");
    await chat.types(script({ say: "second" }));
    expect(chat.standing.waiting).toEqual([script({ say: "second" })]);
    expect(chat.screen.plain).not.toContain("second");
    chat.chat.interrupt();
    await chat.chat.untilIdle();
    expect(chat.screen.plain).toMatch(/Cancelling.*\nThe turn ended: cancelled\.\n\n› .*\n\nsecond\n$/s);
    expect(chat.standing).toMatchObject({ waiting: [], current: undefined });
  });

  it("leaves at the second Ctrl-C, while a turn is cancelled or while nothing runs", async () => {
    const hall = await scripted();
    const busy = await chatIn(hall);
    await busy.types(script({ say: "working" }, { wait: "forever" }));
    await busy.shows("working");
    busy.chat.interrupt();
    busy.chat.interrupt();
    expect(await busy.chat.over).toBe(0);
    const idle = await chatIn(hall);
    idle.chat.interrupt();
    idle.chat.touched();
    idle.chat.interrupt();
    await idle.shows("Ctrl-C again leaves.");
    idle.chat.interrupt();
    expect(await idle.chat.over).toBe(0);
  });

  it("shows an error of a turn, and goes on", async () => {
    const chat = await chatIn(await scripted());
    await chat.prompts({ error: { code: -32000, message: "No luck." } });
    await chat.prompts({ say: "better" });
    expect(chat.screen.plain).toMatch(/hall: No luck\.\n\n› .*\n\nbetter/s);
  });

  it("drops all that waits with /cancel all, and shows what it dropped", async () => {
    const chat = await chatIn(await scripted());
    await chat.types(script({ say: "working" }, { wait: "cancel" }));
    await chat.shows("working");
    await chat.types("never");
    await chat.types("/cancel all");
    await chat.chat.untilIdle();
    expect(chat.screen.plain).toMatch(/› never\n\nThe turn ended: cancelled\./);
  });

  it("is in another slot with /slot, by its name or by its number, and in a new session with /new", async () => {
    const chat = await chatIn(await scripted());
    const first = chat.chat.sessionId;
    await chat.types("/slot");
    expect(chat.screen.plain).toMatch(/Slots\n {2}1 {2}scripted \(now\).*\n {2}2 {2}other +another one/);
    await chat.types("2");
    expect(chat.standing.label).toBe("other › ");
    await chat.types("/slot scripted");
    expect(chat.standing.label).toBe("scripted › ");
    const third = chat.chat.sessionId;
    await chat.types("/new");
    expect(new Set([first, third, chat.chat.sessionId]).size).toBe(3);
    await chat.types("/slot nonsense");
    expect(chat.screen.plain).toContain('hall: There is no slot "nonsense"');
    expect(chat.standing.label).toBe("scripted › ");
  });

  it("goes on in a session of before, with the end of what was said there", async () => {
    const hall = await scripted();
    const chat = await chatIn(hall);
    for (const word of ["one", "two", "three"]) await chat.prompts({ say: word });
    const id = chat.chat.sessionId ?? "";
    const later = await chatIn(hall, { id: id.slice(0, 12) });
    expect(later.screen.plain).toContain(`1 earlier turns; hall attach ${id} --from start shows them.`);
    expect(later.screen.plain).toMatch(/two\n\n› .*\n\nthree\n\nscripted, session hs_/s);
    await later.prompts({ say: "four" });
    await chat.shows("four");
    const other = await chatIn(hall);
    await other.types("/sessions");
    await other.types("1");
    expect(other.chat.sessionId).toBe(id);
    await expect(chatIn(hall, { id: "hs_unknown" })).rejects.toThrow("There is no session hs_unknown");
  });

  it("chooses modes and options, and tells when they change", async () => {
    const modes = { currentModeId: "ask", availableModes: ["ask", "code"].map((id) => ({ id, name: id })) };
    const hall = await startHall({ slots: { scripted: { ways: { modes } } } });
    const chat = await chatIn(hall);
    await chat.types("/mode");
    expect(chat.screen.plain).toMatch(/mode\n {2}1 {2}ask \(now\)\n {2}2 {2}code/i);
    await chat.types("2");
    await chat.shows("Mode: code");
    await chat.types("/mode nonsense");
    expect(chat.screen.plain).toContain('There is no "nonsense" to choose');
  });

  it("comes back when the hall was away, with the turn that ran there", async () => {
    const hall = await startHall({ slots: { scripted: { ways: {} } } });
    const chat = await chatIn(hall);
    await chat.prompts({ say: "before" });
    await hall.restart("stop");
    await chat.shows("The connection to the hall was lost");
    await chat.prompts({ say: "after" });
    expect(chat.screen.plain).toMatch(/Back at the hall after .*the chat goes on.*after/s);
  });

  it("says of which prompt a killed hall has lost the turn, and goes on with the next", async () => {
    const home = new Household();
    const roster = home.roster({ scripted: { ways: {} } });
    const killed = await home.serve(roster);
    const path = home.halls[0]?.addresses.unix ?? "";
    const chat = await chatAt({ path, cwd: home.work });
    const lost = script({ say: "working" }, { wait: "forever" });
    await chat.types(lost);
    await chat.shows("\n\nworking");
    await chat.types(script({ say: "next" }));
    killed.signal("SIGKILL");
    await killed.finished;
    await home.serve(roster);
    await chat.chat.untilIdle();
    const { plain } = chat.screen;
    expect(plain.split(`› ${lost}`)).toHaveLength(2);
    expect(plain).toContain("hall: The hall ended while this turn was open");
    expect(plain).toMatch(/\n\nnext/);
  });

  it("knows commands that come right behind the answer to a new session", async () => {
    const hall = await startHall({ slots: { scripted: { ways: { commandsWithNew: "after" } } } });
    const chat = await chatIn(hall);
    await expect.poll(() => chat.standing.commands.length, { interval: 5 }).toBeGreaterThan(0);
  });

  it("knows the agent's commands, and sends them as prompts", async () => {
    const commands = [{ name: "review", description: "Reviews" }];
    const chat = await chatIn(await scripted());
    const update = { sessionUpdate: "available_commands_update", availableCommands: commands };
    await chat.prompts({ update });
    expect(chat.standing.commands).toEqual([{ name: "review", description: "Reviews", hint: "" }]);
    await chat.types("/review");
    await chat.shows("› /review");
    await chat.types("/reviwe");
    expect(chat.screen.plain).toContain("Neither this chat nor the agent has a command /reviwe");
  });
});
