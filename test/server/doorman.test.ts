import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { Doorman } from "../../src/server/doorman.ts";
import { Farewells } from "../../src/server/farewells.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { type Ear, listenTo } from "./connections.ts";

interface Meeting {
  visitor: Transport;
  /** What the visitor is told. */
  told: Ear;
  /** What gets past the doorman. */
  hall: Ear;
  doorman: Transport;
  clock: HandClock;
}

function meet(): Meeting {
  const [visitor, door] = memoryPair();
  const clock = new HandClock();
  const doorman = new Doorman(door, new Farewells(clock));
  return { visitor, told: listenTo(visitor), hall: listenTo(doorman), doorman, clock };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await null;
};

async function say(visitor: Transport, text: string, size: number): Promise<void> {
  const bytes = Buffer.from(text, "latin1");
  for (let start = 0; start < bytes.length; start += size) {
    visitor.write(bytes.subarray(start, start + size));
    await settled();
  }
}

const MISTAKEN: [string, string][] = [
  ["GET / HTTP/1.1\r\nHost: 127.0.0.1:7420\r\n\r\n", "HTTP"],
  ["POST /acp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", "HTTP"],
  ["OPTIONS * HTTP/1.1\r\n\r\n", "HTTP"],
  ["HEAD / HTTP/1.0\r\n\r\n", "HTTP"],
  ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP"],
  ["Content-Length: 17\r\n\r\n{}", "header-framed messages"],
  ["content-type: application/json\r\n", "header-framed messages"],
  ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "TLS"],
];

describe("the doorman", () => {
  it.each(MISTAKEN)("sends %j away with one line that says why", async (text, speaks) => {
    for (const size of [text.length, 1, 3]) {
      const { visitor, told, hall } = meet();
      await say(visitor, text, size);
      const answer: unknown = JSON.parse(told.text);
      expect(told.text.endsWith("\n")).toBe(true);
      expect(answer).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
      expect(told.text).toContain(`one JSON message a line, and got ${speaks}`);
      expect(told.isEnded).toBe(true);
      expect(hall.text).toBe("");
      visitor.end();
      await hall.closes;
      expect(hall.isEnded).toBe(false);
    }
  });

  it("lets every other beginning through, byte for byte, in whatever pieces it comes", async () => {
    const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
    const beginnings = [
      ...methods.map((method) => `${method} `),
      "PRI * ",
      "Content-Length:",
      "Content-Type:",
    ];
    const nearly = beginnings.flatMap((text) => [text.slice(0, -1), `${text.slice(0, -1)}{}\n`, ` ${text}`]);
    const isMistake = (line: string): boolean =>
      [...beginnings, "\x16\x03"].some((text) => line.toLowerCase().startsWith(text.toLowerCase()));
    const text = fc
      .oneof(fc.string({ unit: "binary-ascii" }), fc.constantFrom('{"jsonrpc":"2.0"}\n', ...nearly))
      .filter((line) => !isMistake(line));
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (line, size) => {
        const { visitor, hall, told } = meet();
        await say(visitor, line, size);
        visitor.end();
        await settled();
        expect(hall.text).toBe(Buffer.from(line, "latin1").toString());
        expect(hall.isEnded).toBe(true);
        expect(told.text).toBe("");
      }),
    );
  });

  it("lets a beginning through that could have become a mistake, when nothing more comes", async () => {
    const { visitor, hall } = meet();
    await say(visitor, "GE", 1);
    expect(hall.text).toBe("");
    visitor.end();
    await settled();
    expect([hall.text, hall.isEnded]).toEqual(["GE", true]);
  });

  it("lets nothing of the hall's out after its farewell", async () => {
    const { visitor, told, doorman } = meet();
    await say(visitor, "GET / HTTP/1.1\r\n\r\n", 100);
    doorman.write(Buffer.from("late\n"));
    await settled();
    expect(told.text.split("\n")).toHaveLength(2);
  });

  it("cuts off who does not go, after two seconds, and has no alarm left for who went", async () => {
    const stays = meet();
    await say(stays.visitor, "GET / HTTP/1.1\r\n\r\n", 100);
    stays.clock.advance(1_999);
    await settled();
    expect(stays.hall.isClosed).toBe(false);
    stays.clock.advance(1);
    await stays.hall.closes;

    const goes = meet();
    await say(goes.visitor, "GET / HTTP/1.1\r\n\r\n", 100);
    goes.visitor.end();
    await goes.hall.closes;
    expect(goes.clock.pending).toBe(0);
  });

  it("holds both ways and hands on what the hall wants of the transport", async () => {
    const { visitor, told, hall, doorman } = meet();
    await say(visitor, "{", 1);
    doorman.pause();
    await say(visitor, '"a":1}\n', 100);
    expect(hall.text).toBe("{");
    doorman.resume();
    await settled();
    expect(hall.text).toBe('{"a":1}\n');
    doorman.write(Buffer.from("answer\n"));
    await settled();
    expect([told.text, doorman.backlog]).toEqual(["answer\n", 0]);
    doorman.end();
    await settled();
    expect(told.isEnded).toBe(true);
    doorman.destroy();
    await told.closes;
  });
});

describe("farewells", () => {
  it("are said to 64 at a time; who comes beyond that is cut off", async () => {
    const clock = new HandClock();
    const farewells = new Farewells(clock);
    const visit = (): { ear: Ear; visitor: Transport } => {
      const [visitor, door] = memoryPair();
      const ear = listenTo(visitor);
      new Doorman(door, farewells).start(listenTo(memoryPair()[0]));
      visitor.write(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
      return { ear, visitor };
    };
    const first = Array.from({ length: 64 }, visit);
    await settled();
    const beyond = visit();
    await beyond.ear.closes;
    expect([first.every(({ ear }) => ear.text !== ""), beyond.ear.text]).toEqual([true, ""]);

    first[0]?.visitor.end();
    await first[0]?.ear.closes;
    const next = visit();
    await settled();
    expect(next.ear.text).not.toBe("");
  });
});
