import { describe, expect, it } from "vitest";
import { defineAgent, type Turn } from "../../../src/agents/host/define.ts";
import { TurnCancelled } from "../../../src/agents/host/turn-cancelled.ts";
import { HandClock } from "../../../src/ground/clock.ts";
import { Latch } from "../../doubles/latch.ts";
import { hosted, opened } from "./hosted.ts";

const agent = (prompt: (turn: Turn) => unknown) =>
  defineAgent({
    name: "test",
    async prompt(turn) {
      await prompt(turn);
    },
  });

const circular: { self?: unknown } = {};
circular.self = circular;

const THROWN: [string, unknown, string | RegExp][] = [
  ["undefined", undefined, "The agent threw undefined, which is no error."],
  ["null", null, "The agent threw null, which is no error."],
  ["a text", "no key", "no key"],
  ["a number", 4n, "The agent threw 4, which is no error."],
  ["an object", { status: 500 }, 'The agent threw {"status":500}, which is no error.'],
  ["an object with a message", { message: "no luck" }, "no luck"],
  ["an object in a circle", circular, "The agent failed without a message."],
  [
    "an object that throws when it is looked at",
    {
      get message() {
        throw new Error("again");
      },
    },
    "The agent failed without a message.",
  ],
  [
    "an error that throws when it is looked at",
    Object.defineProperties(new Error("x"), {
      message: { get: () => Reflect.get(Object(null), "no") },
      stack: {
        get() {
          throw new Error("again");
        },
      },
      name: {
        get() {
          throw new Error("again");
        },
      },
    }),
    "The agent failed without a message.",
  ],
  [
    "an error without a message",
    new Error(),
    /^The agent failed without a message\. \(faulty-functions\.test\.ts:\d+/,
  ],
  ["an error of several lines", new TypeError("no\n  luck\n\n today"), /^no luck today \(faulty-functions/],
  ["an error of a megabyte", "x".repeat(1_000_000), /^x{1999}…$/],
  ["a symbol", Symbol("s"), "The agent threw Symbol(s), which is no error."],
];

describe("a function", () => {
  it.each(THROWN)("that throws %s fails its turn in words, and goes on", async (_, thrown, message) => {
    let turns = 0;
    const { client, sessionId } = await opened(
      agent(() => {
        turns += 1;
        if (turns === 1) throw thrown;
      }),
    );
    const wanted = typeof message === "string" ? message : expect.stringMatching(message);
    await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({ code: -32603, message: wanted });
    expect(await client.prompt(sessionId, "again")).toEqual({ stopReason: "end_turn" });
  });

  it("that sends what JSON cannot hold fails its turn, and no half of a line goes out", async () => {
    const { client, sessionId } = await opened(
      agent(({ update, text }) => {
        if (text === "circle") update({ sessionUpdate: "plan", entries: [], circular });
        if (text === "bigint") update({ sessionUpdate: "plan", entries: [], big: 1n });
      }),
    );
    await expect(client.prompt(sessionId, "circle")).rejects.toThrow(/circular/);
    await expect(client.prompt(sessionId, "bigint")).rejects.toThrow(/BigInt/);
    expect(await client.prompt(sessionId, "fine")).toEqual({ stopReason: "end_turn" });
    expect(client.updates(sessionId)).toEqual([]);
  });

  it("that returns what nobody can print is told what it may return", async () => {
    for (const value of [circular, 1n, Symbol("s")]) {
      const broken = defineAgent({
        name: "test",
        // What a module in JavaScript may well do.
        prompt: (() => value) as unknown as () => undefined,
      });
      const { client, sessionId } = await opened(broken);
      await expect(client.prompt(sessionId, "hello")).rejects.toThrow(/no stop reason/);
    }
  });

  it("that does not wait for its question has it taken back at the end of its turn, and asks nothing afterwards", async () => {
    const outcomes: unknown[] = [];
    const over = new Latch();
    const asked = new Latch();
    const { client, sessionId } = await opened(
      agent((turn) => {
        if (turn.text !== "hello") return;
        const note = (error: unknown): void => void outcomes.push(error);
        void turn.ask({ title: "May I?" }).catch(note);
        void over.opened
          .then(() => turn.ask({ title: "And now?" }))
          .catch(note)
          .then(() => asked.open());
        return Promise.resolve();
      }),
    );
    expect(await client.prompt(sessionId, "hello")).toEqual({ stopReason: "end_turn" });
    const { id } = await client.question();
    await client.sees(
      ({ method, params }) => method === "$/cancel_request" && Object(params).requestId === id,
    );
    over.open();
    await asked.opened;
    expect(outcomes).toEqual([new TurnCancelled("end"), new TurnCancelled("end")]);
    await client.prompt(sessionId, "again");
    expect(client.messages.filter(({ method }) => method === "session/request_permission")).toHaveLength(1);
  });

  it("that leaves a client's error to others fails its turn with its own line, and never with the client's code", async () => {
    const { client, sessionId } = await opened(agent((turn) => turn.readFile("a")));
    for (const code of [-32002, -32000, -32602]) {
      client.answerWith(() => ({ error: { code, message: "There is\nno a." } }));
      await expect(client.prompt(sessionId, "hello")).rejects.toMatchObject({
        code: -32603,
        message: expect.stringMatching(/^There is no a\.( \(faulty-functions\.test\.ts:\d+:\d+\))?$/),
      });
    }
  });

  it("may take its turn and its session apart", async () => {
    const { client, sessionId } = await opened(
      agent(async ({ say, text, tool, session: { remember, recall } }) => {
        remember(text);
        tool({ title: "Look" }).done();
        await say(`remembered ${recall()}`);
      }),
    );
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("remembered hello");
  });

  it("that hears no cancel is given up where no hall ends its process: the next turn runs, and nothing of the old one is seen", async () => {
    const clock = new HandClock();
    const begun = new Latch();
    const late = new Latch();
    const client = hosted(
      agent(async (turn) => {
        if (turn.text !== "hang") return;
        begun.open();
        await late.opened;
        turn.say("too late");
        throw new Error("much too late");
      }),
      { clock, cancelGrace: 5_000 },
    );
    const sessionId = await client.begin();
    const first = client.prompt(sessionId, "hang");
    await begun.opened;
    client.cancel(sessionId);
    const second = client.prompt(sessionId, "more");
    await client.saidMeanwhile();
    clock.advance(4_999);
    expect(await client.saidMeanwhile()).toEqual([]);
    clock.advance(1);
    expect(await first).toEqual({ stopReason: "cancelled" });
    expect(await second).toEqual({ stopReason: "end_turn" });
    late.open();
    expect(await client.saidMeanwhile()).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("that remembers undefined has forgotten", async () => {
    const seen: unknown[] = [];
    const { client, sessionId } = await opened(
      agent(({ session, text }) => {
        seen.push(session.recall());
        session.remember(text === "forget" ? undefined : text);
      }),
    );
    for (const text of ["one", "forget", "two"]) await client.prompt(sessionId, text);
    expect(seen).toEqual([undefined, "one", undefined]);
  });
});
