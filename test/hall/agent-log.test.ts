import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { AgentLog } from "../../src/hall/agent-log.ts";
import { Events } from "../../src/hall/events.ts";

function log() {
  const clock = new HandClock();
  const events = new Events();
  const told: string[] = [];
  events.watch((type, payload) => told.push(`${type} ${JSON.stringify(payload)}`));
  const book = new AgentLog({ clock, events });
  const begin = (slot = "a") => book.begin(slot, (text) => text.replaceAll("secret", "***"));
  const texts = (whose: { slot: string } | { sessionId: string }): string[] =>
    book.of(whose).entries.map(({ entry }) => entry.text);
  return { clock, told, book, begin, texts };
}

describe("the log of agents", () => {
  it("tells of a slot and of a session: what was said, and what became of it", () => {
    const { book, begin, texts, told } = log();
    const [one, two] = [begin(), begin()];
    const program = one.program(7, 1);
    program.said("the secret is out");
    two.program(8, 2).said("of another");
    one.serves("hs_1");
    program.killed();
    program.exited({ code: null, signal: "SIGKILL" });
    expect(texts({ sessionId: "hs_1" })).toEqual([
      "started",
      "the *** is out",
      "serves session hs_1",
      "was sent SIGKILL",
      "was ended by SIGKILL",
    ]);
    expect(texts({ slot: "a" })).toHaveLength(7);
    expect([texts({ slot: "b" }), texts({ sessionId: "hs_2" })]).toEqual([[], []]);
    const ids = '"slot":"a","pid":7,"process":1';
    expect(told).toEqual([
      `process.started {${ids}}`,
      'process.started {"slot":"a","pid":8,"process":2}',
      `process.killed {${ids},"sessionId":"hs_1"}`,
      `process.exited {${ids},"sessionId":"hs_1","code":null,"signal":"SIGKILL"}`,
    ]);
    expect(book.of({ slot: "a" }).dropped).toBe(0);
  });

  it("an agent that says much pushes out its own words alone, and how many is told", () => {
    const { book, begin, texts } = log();
    const [quiet, loud] = [begin(), begin()];
    quiet.program(1, 1).said("quiet");
    const voice = loud.program(2, 2);
    for (let line = 1; line <= 2_000; line++) voice.said(`line ${line}`);
    for (let line = 1; line <= 40; line++) voice.said("x".repeat(4_096));
    const { entries, dropped } = book.of({ slot: "a" });
    expect(texts({ slot: "a" })).toContain("quiet");
    expect(entries.length).toBeLessThanOrEqual(502);
    expect(entries.reduce((sum, { entry }) => sum + entry.text.length, 0)).toBeLessThan(70_000);
    expect(dropped + entries.length).toBe(2_043);
  });

  it("keeps the agents that run, and of those that ended a number; since when is told", () => {
    const { book, begin, texts, clock } = log();
    const began = clock.now();
    begin().program(1, 1).said("goes on");
    expect(book.of({ slot: "a" }).since).toBe(began);
    for (let count = 1; count <= 40; count++) {
      clock.advance(1_000);
      const run = begin();
      run.noticed(`number ${count}`);
      run.end();
    }
    const kept = texts({ slot: "a" });
    expect(kept).toHaveLength(2 + 32);
    expect(kept.slice(0, 3)).toEqual(["started", "goes on", "number 9"]);
    expect(book.of({ slot: "a" }).since).toBe(began + 8_000);
    expect(book.of({ slot: "b" }).since).toBe(began);
  });

  it("is followed by whoever wants to, from now on and until they do not", () => {
    const { book, begin } = log();
    const run = begin();
    run.noticed("before");
    const seen: string[] = [];
    const stop = book.watch({ sessionId: "hs_1" }, (_run, { text }) => seen.push(text));
    run.noticed("of nobody yet");
    run.serves("hs_1");
    run.noticed("ours");
    stop();
    run.noticed("after");
    expect(seen).toEqual(["serves session hs_1", "ours"]);
  });
});
