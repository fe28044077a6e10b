import fs from "node:fs";
import path from "node:path";

const WRITE_BYTES = 4 * 1024 * 1024;

/** Where a hall that runs in `folder` (`BenchHall.startIn`) keeps its sessions. */
export const sessionsIn = (folder: string): string => path.join(folder, ".hall", "sessions");

export const sessionId = (number: number): string => `hs_${number.toString(16).padStart(32, "0")}`;

/** A session of one turn, written as a hall writes it: `updates` lines of some 420 bytes. Answers the journal's bytes. */
export function makeSession(folder: string, number: number, updates: number): number {
  const id = sessionId(number);
  const place = path.join(sessionsIn(folder), id);
  fs.mkdirSync(place, { recursive: true, mode: 0o700 });
  const bytes = writeUpdates(path.join(place, "updates.jsonl"), id, updates);
  const at = Date.now() - number;
  const created = { type: "created", at, slot: "bench", cwd: process.cwd(), additionalDirectories: [] };
  const turn = `turn_${number}`;
  const entries = [
    { ...created, owner: "local", journal: "00000000" },
    { type: "accepted", at, turn, digest: "none" },
    { type: "started", at, turn, from: 0, to: 0 },
    { type: "titled", at, title: `session ${number}`, by: "prompt" },
    { type: "ended", at, turn, to: bytes, outcome: { result: { stopReason: "end_turn" } } },
  ];
  fs.writeFileSync(
    path.join(place, "session.jsonl"),
    entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""),
    { mode: 0o600 },
  );
  return bytes;
}

function writeUpdates(file: string, id: string, updates: number): number {
  const content = { type: "text", text: "x".repeat(240) };
  const params = { sessionId: id, update: { sessionUpdate: "agent_message_chunk", content } };
  const line = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`);
  const together = Math.max(1, Math.floor(WRITE_BYTES / line.length));
  const batch = Buffer.concat(Array.from({ length: Math.min(together, updates) }, () => line));
  const fd = fs.openSync(file, "w", 0o600);
  for (let left = updates; left > 0; left -= together)
    fs.writeSync(fd, left >= together ? batch : batch.subarray(0, left * line.length));
  fs.closeSync(fd);
  return updates * line.length;
}
