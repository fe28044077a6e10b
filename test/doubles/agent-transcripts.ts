import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "./message.ts";
import { SchemaCheck } from "./schema-check.ts";

/** What one process of a scripted agent went through (`Ways.transcript`), in order. */
export interface AgentTranscript {
  pid: number;
  entries: TranscriptEntry[];
}

export interface TranscriptEntry {
  /** A line that it read, a line that it wrote, or something that happened to it: a signal, the end of stdin. */
  way: "in" | "out" | "note";
  text: string;
}

/** The transcripts in a folder, oldest process first; also of processes that still run, so far. */
export function agentTranscripts(folder: string): AgentTranscript[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .map((file) => ({
      pid: Number(/-(\d+)\.jsonl$/.exec(file)?.[1]),
      entries: wholeLines(readFileSync(join(folder, file), "utf8")).map(
        (line): TranscriptEntry => JSON.parse(line),
      ),
    }));
}

/** The messages that a process read: everything that the hall wrote to it. */
export const messagesTo = ({ entries }: AgentTranscript): Message[] =>
  entries.filter(({ way }) => way === "in").map(({ text }): Message => JSON.parse(text));

/** Throws when a line that the hall wrote to an agent broke the protocol. */
export function checkTranscripts(folder: string): void {
  for (const { entries } of agentTranscripts(folder)) {
    const check = new SchemaCheck("hall->agent");
    for (const { way, text } of entries) {
      const value = asJson(text);
      if (way === "out") check.sent(value);
      if (way === "in") check.checkLine(value, text);
    }
    check.expectNoViolations();
  }
}

/** A process that was killed may have left half a line. */
const wholeLines = (text: string): string[] => text.split("\n").slice(0, -1);

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
