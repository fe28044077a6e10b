import type { Fields } from "../acp/checks.ts";
import type { Exit } from "../agents/process.ts";
import type { Message } from "../wire/message.ts";

/** The scenes of a trial, in the order in which they are played; those of one row share a process if all goes well. */
export const SCENES = [
  ...([
    "start",
    "talk",
    "cancel",
    "overlap",
    "refuse",
    "unknown-option",
    "cancel-question",
    "command",
  ] as const),
  ...(["close", "eof"] as const),
  ...(["load", "eof-turn"] as const),
  ...(["resume", "manners", "sigterm"] as const),
  ...(["offer", "sigint"] as const),
] as const;

export type SceneName = (typeof SCENES)[number];

/** What can happen in a trial. */
export type Happening =
  /** A process was started. */
  | { kind: "started" }
  /** It could not be: one sentence. */
  | { kind: "unstartable"; why: string }
  /** A message to the agent. */
  | { kind: "sent"; message: Fields }
  /** A line to the agent that is no message. */
  | { kind: "garbled"; line: string }
  /** A line of the agent's. */
  | { kind: "heard"; message: Message; line: string }
  | { kind: "closed stdin" }
  | { kind: "signalled"; signal: "SIGINT" | "SIGTERM" }
  /** What was waited for did not come within so many milliseconds. */
  | { kind: "waited in vain"; ms: number }
  /** `asked`: it was told to. */
  | { kind: "exited"; exit: Exit; asked: boolean }
  /** Some time after its end, or after a cancel: the processes that it left running. Undefined: there is no telling. */
  | { kind: "looked"; left: readonly string[] | undefined }
  /** The rest of the scene was not played: why. */
  | { kind: "skipped"; why: string };

export type Entry = Happening & {
  /** Milliseconds since the trial began. */
  readonly at: number;
  /** The number of the process, from 1. */
  readonly process: number;
  readonly scene: SceneName;
};

/** Entries of one kind. */
export type EntryOf<Kind extends Happening["kind"]> = Extract<Entry, { kind: Kind }>;
