import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Fields, isFields } from "../../../src/acp/checks.ts";

/** What one line of a recording is: to the program, from it, on its stderr, or about the run. */
export interface RecordedLine {
  readonly dir: ">" | "<" | "!" | "#" | "<raw" | ">raw";
  readonly msg: unknown;
}

const FOLDER = join(import.meta.dirname, "..", "..", "recordings");

/** The recordings of one program at one version. */
export type Recorded = "claude-code-2.1.332" | "codex-0.171.0" | "pi-0.73.1";

export const recordingsOf = (program: Recorded): string[] =>
  readdirSync(join(FOLDER, program)).map((file) => file.replace(/\.jsonl$/, ""));

export const recording = (program: Recorded, name: string): RecordedLine[] =>
  readFileSync(join(FOLDER, program, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): RecordedLine => JSON.parse(line));

export const fieldsOf = ({ msg }: RecordedLine): Fields => (isFields(msg) ? msg : {});
