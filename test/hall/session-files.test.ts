import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import type { Entry } from "../../src/hall/record.ts";
import { isSessionId, SessionFiles } from "../../src/hall/session-files.ts";
import { full, MemoryDisk } from "./memory-disk.ts";

const ID = `hs_${"0a".repeat(16)}`;
const FOLDER = `/sessions/${ID}`;

const created: Entry & { type: "created" } = {
  type: "created",
  at: 1,
  slot: "demo",
  cwd: "/work",
  additionalDirectories: ["/more"],
  owner: "local",
  journal: "j0",
};

function desk(disk = new MemoryDisk()) {
  const parts = { disk, clock: new HandClock(), noticed: () => {}, folder: "/sessions" };
  return {
    disk,
    parts,
    create: (mcpServers: Record<string, unknown>[] = []) =>
      SessionFiles.create(ID, created, mcpServers, parts),
    /** The session as a next hall takes it up. */
    open: () => {
      const files = SessionFiles.open(ID, parts);
      if (!files) throw new Error("It is not there.");
      return files;
    },
    lines: (): unknown[] =>
      `${disk.files.get(`${FOLDER}/updates.jsonl`) ?? ""}`
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).params.update),
  };
}

const gather = (files: SessionFiles, ...updates: object[]): void => {
  for (const update of updates) {
    const params = { sessionId: ID, update };
    files.journal.gather(Buffer.from(JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })));
  }
  files.journal.commit();
};

const tool = (toolCallId: string, status?: string) => ({ sessionUpdate: "tool_call", toolCallId, status });
const closed = (toolCallId: string) => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  status: "failed",
  _meta: { "hall/closed": true },
});

/** A turn is accepted and, if it is to, started. */
function begin(files: SessionFiles, turn: string, started = true): void {
  files.write({ type: "accepted", at: 2, turn, digest: "d" });
  if (!started) return;
  const from = files.journal.end;
  gather(files, { sessionUpdate: "user_message_chunk", content: { type: "text", text: turn } });
  files.write({ type: "started", at: 3, turn, from, to: files.journal.end });
}

const end = (files: SessionFiles, turn: string): void =>
  files.write({
    type: "ended",
    at: 4,
    turn,
    to: files.journal.end,
    outcome: { result: { stopReason: "end_turn" } },
  });

describe("a session on disk", () => {
  it("is what its record tells, entry by entry", () => {
    const { create, open } = desk();
    const files = create();
    files.write({ type: "bound", at: 5, slot: "other", agentSession: "s1", way: "new" });
    files.write({ type: "titled", at: 6, title: "A title", by: "prompt" });
    files.write({ type: "settings", at: 7, modes: { currentModeId: "ask" }, configOptions: [{ id: "m" }] });
    begin(files, "t1");
    end(files, "t1");
    begin(files, "t2", false);
    files.write({ type: "asked", at: 8, question: "q1" });
    files.write({ type: "decided", at: 9, question: "q1", how: "expired", allowed: false });
    files.write({ type: "renamed", at: 10, journal: "j1" });
    const { memory } = open();
    expect(memory).toMatchObject({
      slot: "other",
      cwd: "/work",
      additionalDirectories: ["/more"],
      owner: "local",
      journal: "j1",
      title: "A title",
      updatedAt: 10,
      bound: { agentSession: "s1", way: "new", slot: "other" },
      modes: { currentModeId: "ask" },
      configOptions: [{ id: "m" }],
      turnsRun: 1,
    });
    expect([...memory.turns.values()]).toMatchObject([
      { id: "t1", started: { from: 0 }, ended: { outcome: { result: { stopReason: "end_turn" } } } },
      { id: "t2", digest: "d" },
    ]);
    expect(memory).toEqual(files.memory);
  });

  it("loses a line that cannot be read, and nothing else", () => {
    const { create, open, disk } = desk();
    const files = create();
    begin(files, "t1", false);
    const path = `${FOLDER}/session.jsonl`;
    disk.files.set(
      path,
      Buffer.concat([disk.files.get(path) ?? Buffer.alloc(0), Buffer.from("nonsense\nnull\n[]\n{}\n")]),
    );
    const again = open();
    again.write({ type: "titled", at: 5, title: "after", by: "agent" });
    expect(open().memory).toMatchObject({ title: "after", slot: "demo" });
    expect(open().memory.turns.size).toBe(1);
  });

  it("is none where there is no record, or one that tells of none", () => {
    const { parts, disk } = desk();
    expect(SessionFiles.open(ID, parts)).toBeUndefined();
    disk.files.set(
      `${FOLDER}/session.jsonl`,
      Buffer.from('{"type":"titled","at":1,"title":"x","by":"agent"}\n'),
    );
    expect(SessionFiles.open(ID, parts)).toBeUndefined();
  });

  it.each(["..", "../../etc", "hs_", `hs_${"0".repeat(31)}/`, `hs_${"G".repeat(32)}`, `${ID}\n`, ""])(
    "has an id that no path can hide in; %j is none",
    (id) => {
      const { parts, disk } = desk();
      expect(isSessionId(id)).toBe(false);
      expect(SessionFiles.open(id, parts)).toBeUndefined();
      expect(() => SessionFiles.create(id, created, [], parts)).toThrow("is no session id");
      disk.files.set("/etc/passwd", Buffer.from("x"));
      SessionFiles.remove(id, parts);
      expect(disk.files.size).toBe(1);
    },
  );

  it("leaves nothing behind where it could not be made", () => {
    const { create, disk } = desk();
    disk.writes = [10, full()];
    expect(() => create()).toThrow(expect.objectContaining({ kind: "journal_failed" }));
    expect([disk.files.size, disk.folders.size, disk.opened]).toEqual([0, 0, 0]);
  });

  it("knows what was written, and nothing that was not", () => {
    const { create, open, disk } = desk();
    const files = create();
    disk.writes = [5, full()];
    expect(() => begin(files, "t1", false)).toThrow(expect.objectContaining({ kind: "journal_failed" }));
    expect([files.memory.turns.size, open().memory.turns.size]).toEqual([0, 0]);
  });

  it("is gone when it was removed, and does not come back by a late word", () => {
    const { create, parts, disk } = desk();
    const files = create([{ name: "m", command: "x" }]);
    files.hold();
    begin(files, "t1");
    files.remove();
    expect([disk.files.size, disk.opened, SessionFiles.open(ID, parts)]).toEqual([0, 0, undefined]);
  });

  it("says that it could not be synced", () => {
    const { create, disk } = desk();
    const files = create();
    disk.syncs = [full()];
    expect(() => files.sync()).toThrow(expect.objectContaining({ kind: "journal_failed" }));
    files.sync();
  });
});

describe("a session's MCP servers", () => {
  const servers = [{ name: "files", command: "/bin/files", env: [{ name: "KEY", value: "secret" }] }];

  it("are kept as they came, apart from everything that is shown, and are those that were named last", () => {
    const { create, open, disk } = desk();
    const files = create(servers);
    expect(open().mcpServers()).toEqual(servers);
    for (const name of ["session.jsonl", "updates.jsonl"])
      expect(`${disk.files.get(`${FOLDER}/${name}`)}`).not.toContain("secret");
    files.keepMcpServers([]);
    expect(open().mcpServers()).toEqual([]);
    expect(disk.files.has(`${FOLDER}/params.json`)).toBe(false);
  });

  it.each(["{", "[]", '{"mcpServers":{}}'])("that cannot be read are not taken for none: %s", (content) => {
    const { create, disk } = desk();
    const files = create(servers);
    disk.files.set(`${FOLDER}/params.json`, Buffer.from(content));
    expect(() => files.mcpServers()).toThrow(expect.objectContaining({ kind: "restore_failed" }));
  });

  it("that could not be kept are told of", () => {
    const { create, disk } = desk();
    const files = create();
    disk.broken = full();
    for (const some of [servers, []])
      expect(() => files.keepMcpServers(some)).toThrow(expect.objectContaining({ kind: "journal_failed" }));
  });
});

describe("after a crash", () => {
  it("a turn that ran is interrupted, with all that it had said, and no tool call is left open", () => {
    const { create, open, lines } = desk();
    const files = create();
    begin(files, "before");
    gather(files, tool("of the turn before"));
    end(files, "before");
    begin(files, "cut off");
    gather(files, tool("done"), tool("a", "pending"), tool("done", "completed"), tool("b", "in_progress"));
    const next = open();
    const { interrupted, torn, lost } = next.recover(50, false);
    expect([interrupted.map(({ id }) => id), torn, lost]).toEqual([["cut off"], 0, 0]);
    expect(lines().slice(-3)).toEqual([tool("b", "in_progress"), closed("a"), closed("b")]);
    expect(next.memory.turns.get("cut off")?.ended).toMatchObject({
      at: 50,
      to: next.journal.end,
      outcome: { error: { code: -32000, data: { kind: "interrupted", slot: "demo" } } },
    });
    expect(open().recover(60, false)).toEqual({
      interrupted: [],
      torn: 0,
      recordTorn: 0,
      lost: 0,
      unreadable: 0,
    });
    expect(lines()).toHaveLength(9);
  });

  it("a turn that another hall has goes on there, unless it never came to that", () => {
    const { create, open, lines } = desk();
    const files = create();
    begin(files, "there");
    gather(files, tool("a", "pending"));
    const next = open();
    expect(next.recover(50, true, true).interrupted).toEqual([]);
    expect(next.memory.goingOn).toMatchObject({ id: "there" });
    expect(lines().at(-1)).toEqual(tool("a", "pending"));
    end(next, "there");
    next.write({ type: "accepted", at: 52, turn: "here", digest: "d" });
    next.write({ type: "started", at: 53, turn: "here", from: next.journal.end, to: next.journal.end + 9 });
    expect(open().recover(60, true, true).interrupted).toMatchObject([{ id: "here" }]);
  });

  it("a turn that had only waited is interrupted too, and leaves no line", () => {
    const { create, open, lines } = desk();
    begin(create(), "waited", false);
    const next = open();
    expect(next.recover(50, false).interrupted).toHaveLength(1);
    expect(lines()).toEqual([]);
    expect(next.memory.turnsRun).toBe(0);
  });

  it("what was in the middle of being written is cut off, and said to be damage", () => {
    const { create, open, lines, disk } = desk();
    const files = create();
    begin(files, "t");
    gather(files, tool("a", "pending"));
    const path = `${FOLDER}/updates.jsonl`;
    disk.files.set(
      path,
      Buffer.concat([disk.files.get(path) ?? Buffer.alloc(0), Buffer.from('{"jsonrpc":"2')]),
    );
    expect(open().recover(50, false)).toMatchObject({ torn: 13, interrupted: [{ id: "t" }] });
    expect(lines().at(-1)).toEqual(closed("a"));
  });

  it("a prompt that waited under a key goes on waiting, if it is to and can be read", () => {
    const { create, open, disk } = desk();
    const files = create();
    for (const turn of ["kept", "lost", "started"]) {
      files.prompts.keep(turn, { blocks: [{ type: "text", text: turn }], extras: { more: 1 } });
      files.write({ type: "accepted", at: 2, turn, digest: "d", keyed: true });
    }
    files.write({ type: "started", at: 3, turn: "started", from: 0, to: 0 });
    files.prompts.drop("lost");
    expect(
      open()
        .recover(50, true)
        .interrupted.map(({ id }) => id),
    ).toEqual(["lost", "started"]);
    const next = open();
    expect(next.recover(60, true).interrupted).toEqual([]);
    expect([...next.memory.waiting.keys()]).toEqual(["kept"]);
    expect(next.prompts.read("kept")).toEqual({
      blocks: [{ type: "text", text: "kept" }],
      extras: { more: 1 },
    });
    expect(disk.list(`${FOLDER}/turns`)).toHaveLength(1);
    expect(
      open()
        .recover(70, false)
        .interrupted.map(({ id }) => id),
    ).toEqual(["kept"]);
    expect(disk.list(`${FOLDER}/turns`)).toEqual([]);
  });

  it("a record that is torn or cannot be read in parts is said to be", () => {
    const { create, open, disk } = desk();
    create();
    const path = `${FOLDER}/session.jsonl`;
    disk.files.set(path, Buffer.concat([disk.files.get(path) ?? Buffer.alloc(0), Buffer.from("?\n{")]));
    expect(open().recover(50, false)).toMatchObject({ recordTorn: 1, unreadable: 1 });
  });

  it("a journal that has lost more than the record knows of is taken as it is, and said to have", () => {
    const { create, open, lines, disk } = desk();
    const files = create();
    gather(files, tool("lost", "pending"));
    const lost = files.journal.end;
    begin(files, "t");
    disk.files.set(`${FOLDER}/updates.jsonl`, Buffer.alloc(0));
    const next = open();
    expect(next.recover(50, false)).toMatchObject({ lost, interrupted: [{ id: "t" }] });
    next.write({ type: "renamed", at: 51, journal: "another", end: 0 });
    expect(open().recover(52, false).lost).toBe(0);
    expect([lines(), next.memory.turns.get("t")?.ended?.to]).toEqual([[], 0]);
  });

  it("a disk that is full still keeps it from being taken for finished", () => {
    const { create, open, disk } = desk();
    begin(create(), "t");
    disk.writes = [full()];
    expect(() => open().recover(50, false)).toThrow(expect.objectContaining({ kind: "journal_failed" }));
    expect(open().recover(60, false).interrupted).toHaveLength(1);
  });
});
