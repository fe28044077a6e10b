import type { Grandchild, JsonObject, RpcErrorBody } from "./ways.ts";

export type ToolCall = JsonObject & { id: string };

export interface Question {
  tool: ToolCall;
  /** Allow once and reject once, unless given. */
  options?: { optionId: string; name: string; kind: string }[];
  _meta?: JsonObject;
}

/**
 * One step of a turn's script. A prompt whose text is a JSON array of steps runs them in order. What a step
 * learns from the client (an answer, a file, an error) it says as agent text, so that a test can see it.
 */
export type Step =
  /** One message chunk for each text. */
  | { say: string | string[] }
  | { think: string }
  /** Entries of a plan; a text alone is a pending one. */
  | { plan: (string | JsonObject)[] }
  /** `tool_call`; `id` becomes `toolCallId`, everything else goes as it is. */
  | { tool: ToolCall }
  | { toolUpdate: ToolCall }
  /** Asks for permission, then says "asked: selected allow", "asked: cancelled" or "asked: error -32601 …". */
  | { ask: Question; as?: string }
  /** Says "read: TEXT" or "read: error CODE …". */
  | { read: string | { path: string; line?: number; limit?: number } }
  /** Says "wrote: PATH" or "wrote: error CODE …". */
  | { write: { path: string; content: string } }
  /** Runs a command in the client's terminal; says "terminal: exit 0: OUTPUT" or "terminal: error CODE …". */
  | {
      terminal: {
        command: string;
        args?: string[];
        cwd?: string;
        env?: JsonObject[];
        outputByteLimit?: number;
      };
    }
  /**
   * Any request to the client; the session's id is put in where there is none. A `requestId` of "prompt" stands
   * for the id of the turn's own request, as the agent got it. Says "METHOD: RESULT".
   */
  | { call: { method: string; params?: JsonObject } }
  /** Any notification to the client, as it is. */
  | { notify: { method: string; params?: JsonObject } }
  /** Any update of this session, as it is. */
  | { update: JsonObject }
  /** A line on stdout, verbatim. */
  | { raw: string }
  /** So many chunks (TEXT and a number) in one write, with all that follows until the script has to wait. */
  | { burst: { count: number; text?: string } }
  /** Chunks of `size` bytes, `bytes` in sum, waiting whenever the pipe is full; then says how long it took. */
  | { flood: { bytes: number; size?: number } }
  /** One chunk of so many bytes. */
  | { bigText: number }
  /** Waits for `session/cancel` and goes on with the next step, or for nothing at all. */
  | { wait: "cancel" | "forever" }
  | { sleepUntilFile: string }
  | { touch: string }
  | { spawn: Grandchild }
  | { stderr: string }
  /** Says what it knows: "mode: ID", "options: {…}", "memory: TEXT | TEXT", "cwd: …", "pid: …", … */
  | { tell: Fact }
  /** Runs these, each a step or several in a row, at the same time and goes on when all are done. */
  | { together: (Step | Step[])[] }
  | { exit: number }
  /** Closes its stdin or stdout, and does not exit. */
  | { close: "stdin" | "stdout" }
  /** Sends itself a signal. */
  | { kill: string }
  /** Ends the turn: with a stop reason, or with a whole result as it is. */
  | { end: string | JsonObject }
  | { error: RpcErrorBody }
  /** An update that is written after the turn's answer. */
  | { late: JsonObject };

/** `memory`: the user's texts that it knows of in this session, also from before a load or resume. */
export type Fact =
  | "mode"
  | "model"
  | "options"
  | "memory"
  | "cwd"
  | "directories"
  | "mcpServers"
  | "pid"
  | "session"
  /** What the prompt brings beside text: links, embedded texts, types of images. */
  | "resources"
  | "images";

/** A script as the text of a prompt. */
export const script = (...steps: Step[]): string => JSON.stringify(steps);
