import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { LineFile } from "../../src/hall/line-file.ts";
import { SessionRecord } from "../../src/hall/record.ts";
import { MemoryDisk } from "./memory-disk.ts";

const PATH = "/s/session.jsonl";

function recordOf(content: string): SessionRecord {
  const disk = new MemoryDisk();
  disk.files.set(PATH, Buffer.from(content));
  return new SessionRecord(new LineFile(PATH, { disk, clock: new HandClock(), noticed: () => {} }));
}

describe("a session's record", () => {
  it.each([
    "",
    "no JSON",
    "null",
    "5",
    "[]",
    "{}",
    '{"at":1}',
    '{"type":"titled"}',
    '{"type":"titled","at":"1"}',
  ])("passes over a line that is no entry (%s), and loses no other", (line) => {
    const entries = [
      { type: "titled", at: 1, title: "one", by: "agent" },
      { type: "titled", at: 2, title: "two", by: "agent" },
    ];
    const [first, last] = entries.map((entry) => JSON.stringify(entry));
    expect([...recordOf(`${first}\n${line}\n${last}\n`).entries()]).toEqual(entries);
  });
});
