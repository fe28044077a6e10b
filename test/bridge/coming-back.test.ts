import { tmpdir } from "node:os";
import { beforeAll, describe, expect, it } from "vitest";
import { isFields } from "../../src/acp/checks.ts";
import { Bridge } from "../../src/bridge/bridge.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import type { MemoryDisk } from "../hall/memory-disk.ts";
import type { Part } from "./agent-in-memory.ts";
import { Cutter } from "./cutter.ts";
import { HallInMemory } from "./hall-in-memory.ts";
import { sessionIn, UnawareEditor } from "./unaware-editor.ts";

/** How many conversations are cut. Each has its seed, which is printed when one fails: run it alone with $CUT_SEED. */
const CUTS = Number(process.env.CUTS ?? 1_000);
const ONLY = process.env.CUT_SEED === undefined ? undefined : Number(process.env.CUT_SEED);

const WORDS = "naïve — 漢字 😀 ";
const prompt = (sessionId: string, ...parts: Part[]) => ({
  sessionId,
  prompt: [{ type: "text", text: JSON.stringify(parts) }],
});
const AT = { cwd: tmpdir(), mcpServers: [] };

/** Everything that the table of "Coming back" has a row for, in two new sessions and in one of before. */
async function converse(editor: UnawareEditor, before: string): Promise<void> {
  const fs = { readTextFile: true };
  void editor.ask("initialize", { protocolVersion: 1, clientCapabilities: { fs } });
  const [a, b] = (await Promise.all([editor.ask("session/new", AT), editor.ask("session/new", AT)])).map(
    sessionIn,
  );
  if (a === undefined || b === undefined) throw new Error("There is no session.");
  const says = (chunks: number): Part => ({ says: WORDS, chunks });
  const first = editor.ask("session/prompt", prompt(a, says(5), { asks: true }, { reads: true }, says(3)));
  const second = editor.ask("session/prompt", prompt(a, says(4)));
  const waits = editor.ask("session/prompt", prompt(b, says(2), { waits: true }));
  const others = [
    editor.ask("session/set_mode", { sessionId: a, modeId: "plain" }),
    editor.ask("session/list", {}),
    editor.ask("authenticate", { methodId: "none" }),
    editor.ask("_vendor/ask", { sessionId: a }),
  ];
  await Promise.race([waits, editor.sees(`${JSON.stringify(b)},"update":{"sessionUpdate":"agent_message`)]);
  editor.tell("session/cancel", { sessionId: b });
  const loaded = editor.ask("session/load", { sessionId: before, ...AT });
  await Promise.all([first, second, waits, loaded, ...others]);
  await editor.ask("session/prompt", prompt(before, says(3), { asks: true }));
  await editor.ask("session/close", { sessionId: b });
  await editor.ask("session/resume", { sessionId: b, ...AT });
  await Promise.all([
    editor.ask("session/prompt", prompt(a, says(2))),
    editor.ask("session/prompt", prompt(b, says(2))),
  ]);
}

interface Cut {
  /** Bytes, over both directions, behind which the connection is lost. */
  at: readonly number[];
  /** Which of these losses is the hall's end, by SIGKILL. */
  kills: number;
}

interface Story {
  editor: UnawareEditor;
  hall: HallInMemory;
  bytes: number;
  ended: boolean;
}

/** The conversation, through a bridge whose connections are cut. Resolves when all is said, or nothing goes on. */
async function through(disk: MemoryDisk, before: string, { at, kills }: Cut): Promise<Story> {
  const hall = new HallInMemory(disk);
  const { clock } = hall;
  let losses = 0;
  const cutter = new Cutter(at, () => {
    if (++losses === kills) hall.kill();
  });
  const [outer, inner] = memoryPair();
  const connect = () => cutter.through(hall.connect());
  const bridge = new Bridge({
    editor: inner,
    hall: connect(),
    reconnect: async () => connect(),
    patience: 600_000,
    clock,
    random: () => 0,
  });
  void bridge.run();
  const editor = new UnawareEditor(outer);
  let ended = false;
  void converse(editor, before).then(() => {
    ended = true;
  });
  for (let turn = 0; turn < 4_000 && !ended; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turn % 8 === 7) clock.advance(50);
  }
  bridge.drop();
  return { editor, hall, bytes: cutter.passed, ended };
}

/** The user's own lines of turns that the editor sent are not told to it. */
function expected(hall: HallInMemory, sessionId: string, ownFrom: number): string[] {
  return hall.journal(sessionId).filter((line, index) => {
    const { params } = JSON.parse(line);
    return index < ownFrom || !(isFields(params) && isFields(params._meta) && "hall/turn" in params._meta);
  });
}

/** Numbers from 0 up to 1 that a seed decides (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Every part of the conversation is cut by as many seeds; a few have two or three cuts, a third a killed hall. */
function cutOf(seed: number, bytes: number): Cut {
  const number = numbersOf(seed);
  const first = ((seed % CUTS) + number()) * (bytes / CUTS);
  const more = Array.from({ length: Math.floor(number() * number() * 3) }, () => number() * bytes);
  const at = [first, ...more].map(Math.floor).sort((a, b) => a - b);
  return { at, kills: number() < 1 / 3 ? 1 + Math.floor(number() * at.length) : 0 };
}

describe("an editor whose connection to the hall is cut", () => {
  let disk: MemoryDisk;
  let before = "";
  let history = 0;
  let bytes = 0;

  beforeAll(async () => {
    const hall = new HallInMemory();
    const [outer, inner] = memoryPair();
    const { clock } = hall;
    const bridge = new Bridge({
      editor: inner,
      hall: hall.connect(),
      reconnect: async () => hall.connect(),
      patience: 0,
      clock,
    });
    void bridge.run();
    const editor = new UnawareEditor(outer);
    void editor.ask("initialize", { protocolVersion: 1 });
    before = sessionIn(await editor.ask("session/new", AT));
    await editor.ask("session/prompt", prompt(before, { says: WORDS, chunks: 12 }));
    bridge.drop();
    disk = hall.disk;
    history = hall.journal(before).length;
    const uncut = await through(disk, before, { at: [], kills: 0 });
    if (!uncut.ended)
      console.log(uncut.editor.lines.map((l) => l.slice(0, 230)).join("\n"), uncut.editor.answers);
    expect(uncut.ended).toBe(true);
    bytes = uncut.bytes;
  });

  it(`gets every update once and in order, and one answer to each request, wherever it is cut (${CUTS} seeds)`, async () => {
    const seeds = ONLY === undefined ? Array.from({ length: CUTS }, (_, seed) => seed) : [ONLY];
    for (const seed of seeds) {
      const cut = cutOf(seed, bytes);
      const { editor, hall, ended } = await through(disk, before, cut);
      const told = `CUTS=${CUTS} CUT_SEED=${seed} (cut at ${cut.at.join(", ")} of ${bytes} bytes, killed at the cut ${cut.kills})`;
      expect(ended, `${told}: the conversation came to its end`).toBe(true);
      expect(new Set(editor.answers), `${told}: answers to each request`).toEqual(new Set([1]));
      const sessions = new Set(editor.lines.flatMap((line) => line.match(/hs_[0-9a-f]{32}/g) ?? []));
      for (const sessionId of sessions) {
        const lines = expected(hall, sessionId, sessionId === before ? history : 0);
        expect(editor.updates(sessionId), `${told}: updates of ${sessionId}`).toEqual(
          lines.map((line) => `${line}\n`),
        );
      }
      expect(editor.shown("session/request_permission"), `${told}: questions shown`).toBeLessThanOrEqual(2);
      if (cut.kills > 0) continue;
      expect(editor.shown("session/request_permission"), `${told}: questions shown`).toBe(2);
      expect(editor.shown("fs/read_text_file"), `${told}: reads asked for`).toBe(1);
    }
  }, 600_000);
});
