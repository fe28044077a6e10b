import type { Step } from "./script.ts";

/** Anything that JSON can hold as an object; what it means is the reader's business. */
export type JsonObject = Record<string, unknown>;

export interface RpcErrorBody {
  code: number;
  message: string;
  data?: unknown;
}

/**
 * How a scripted agent behaves, as a process and as an ACP peer: its one argument, as JSON. A way that is
 * left out is that of an agent without faults, which loads, resumes, lists and closes sessions.
 */
export interface Ways {
  /** The whole `agentCapabilities`. What is not in them is answered -32601. */
  capabilities?: JsonObject;
  authMethods?: JsonObject[];
  /** `modes` of each new session; without it there are none and `session/set_mode` is unknown. */
  modes?: { currentModeId: string; availableModes: { id: string; name: string }[] };
  /** `configOptions` of each new session; without it there are none. */
  configOptions?: (JsonObject & { id: string })[];
  /** Root fields added to the result of a method, by its name: `models`, `usage`, `_meta`, … */
  foreignFields?: Record<string, JsonObject>;

  /** Answers `initialize` after so many milliseconds. */
  initializeDelay?: number;
  neverInitialize?: boolean;
  /** Ends at once, before it reads anything. */
  exitAtStart?: { code: number; stderr?: string };
  /** Lines on stdout that are no ACP: before everything, and in each turn before its first step. */
  stdoutNoise?: { atStart?: string[]; inTurn?: string[] };
  /** Writes so many bytes to stderr before it reads anything. */
  stderrBytes?: number;
  /** Starts a process of its own before it reads anything. */
  grandchild?: Grandchild;

  /** Stays when stdin ends; otherwise it ends at once with 0, turn or not. */
  ignoreEof?: boolean;
  ignoreSigint?: boolean;
  ignoreSigterm?: boolean;

  /** Session ids are this and a number that begins at 1 in each process, so that processes collide. */
  idPrefix?: string;
  /** Keeps sessions and the login in this file, so that another process can load and resume them. */
  stateFile?: string;
  /** `session/new`, `load` and `resume` are answered -32000 until `authenticate` (kept in `stateFile`). */
  needsAuth?: boolean;
  neverNew?: boolean;
  /** Holds the answer to `session/new` back until this file exists. */
  newAfterFile?: string;
  /** Updates written together with the answer to `session/new`, in one write: around it, in this order. */
  newSessionUpdates?: { before?: JsonObject[]; after?: JsonObject[] };
  /** The same for `session/load`; those before it stand behind the replay. */
  loadUpdates?: { before?: JsonObject[]; after?: JsonObject[] };
  /** Sends its commands with the answer to `session/new`, in one write: right before it, right after, or both. */
  commandsWithNew?: "before" | "after" | "both";
  /** What `session/load` does instead of replaying: nothing, fail, or take any id and replay nothing. */
  loadReplays?: boolean | "error" | "accepts-unknown";
  /** The replay leaves the user's messages out. */
  loadNoUserMessages?: boolean;
  /** Answers neither `session/load` nor `session/resume`. */
  neverRestore?: boolean;
  /** Asks a permission question before it answers `session/load`. */
  loadAsks?: boolean;
  /** `session/resume` is unknown, although it is advertised. */
  resumeMissing?: boolean;
  /** `session/set_mode` to this mode is refused. */
  refuseMode?: string;
  /** `session/set_config_option` of this option is refused. */
  refuseOption?: string;

  /** Runs for each prompt that brings no script of its own; without it the text is echoed. */
  script?: Step[];
  /** Goes on as if no `session/cancel` had come. */
  ignoreCancel?: boolean;
  /** How a cancelled turn is answered; `cancelled` unless told otherwise. */
  cancelAnswer?: "cancelled" | "end_turn" | "error" | "never";
  /** A cancelled turn is answered only when each of its open questions was. */
  hangUntilAnswered?: boolean;
  /** On a cancel it takes its open questions back with `$/cancel_request`. */
  withdrawsQuestions?: boolean;

  /** A folder; each process writes a file there with all that it read and wrote. */
  transcript?: string;
}

/** A process that the agent starts and that outlives it, for at most three minutes. */
export interface Grandchild {
  /** In a session and a group of its own, out of reach of a signal to the agent's group. */
  setsid?: boolean;
  /** SIGINT, SIGTERM and SIGHUP do nothing to it. */
  ignoreSignals?: boolean;
  /** It inherits the agent's stdout, so that the pipe stays open when the agent is gone. */
  holdStdout?: boolean;
  /** Where it writes its pid, once it ignores what it is to ignore. */
  pidFile?: string;
}
