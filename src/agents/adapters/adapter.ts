import type { Fields } from "../../acp/checks.ts";
import type { Exit } from "../process.ts";
import type { AcpMessage } from "./acp-message.ts";
import type { Opening } from "./opening.ts";
import type { Step } from "./step.ts";

/**
 * A translator between ACP and a program that does not speak it, and a description of that program. It owns no
 * process, timer, socket or file: it is told what came and says what is to be done. One state is one session; where
 * the program lives as long as the session does, it is also one child.
 *
 * What the runner does for every adapter: one prompt at a time (others wait), `session/close`, the ladder of a cancel,
 * questions answered only with an option that was offered, tool calls closed at the end of a turn, `cancelled` for a
 * turn that was cancelled whatever the program says of it, and an answer to every request when the child ends.
 */
export interface Adapter<State> {
  /** As the roster names it. */
  readonly name: string;
  readonly title: string;
  /** The state of a session that is about to be opened. */
  init(settings: AdapterSettings, opening: Opening): State;
  /** What it will start: a path, or a name on the child's PATH. */
  program(settings: AdapterSettings): string;
  /** The child of the session; or, for one child a turn, what `run` steps say. */
  command(state: State): Command | "one-shot";
  /**
   * Variables that its program takes its own settings and its own key from: `hall agent` lets them through. A hall
   * lets through what the slot's `env_inherit` says, and nothing else.
   */
  readonly variables?: readonly string[];
  /** Set in the environment of its children, unless the slot's `env` sets it. Secrets go here, never into `args`. */
  environment?(settings: AdapterSettings): Record<string, string>;
  /** ACP's `agentCapabilities`. */
  capabilities?(settings: AdapterSettings): Fields;
  /** ACP's `authMethods`, for a client with these capabilities. */
  authMethods?(settings: AdapterSettings, client: Fields): Fields[];
  /** What a session is offered, as ACP's `modes` and `configOptions`; asked when its opening is answered. */
  modes?(state: State): Fields | undefined;
  configOptions?(state: State): Fields[] | undefined;
  /** The first lines to a child, before anything else. */
  started?(state: State): Step[];
  /** From the client. Every request must be answered by a step, now or later. */
  fromAcp(message: AcpMessage, state: State): Step[];
  /** From the child: one line of its stdout without its end. */
  fromNative(line: string, state: State): Step[];
  /** From a child that a `run` step started to be read as plain text: whole characters, as they come. */
  fromText?(text: string, state: State): Step[];
  /** Answers `session/list`. There: `sessionCapabilities.list` is advertised. */
  listSessions?(params: Fields, settings: AdapterSettings): Promise<Fields>;
  /** Answers `session/fork`, as `fromAcp` does the other openings. There: `sessionCapabilities.fork` is advertised. */
  forkSession?(message: AcpMessage, state: State): Step[];
  /** The session as the program keeps it on disk, for `session/load`: lines for `fromHistory`. Undefined: there is none. */
  history?(opening: Opening, settings: AdapterSettings): Promise<string[] | undefined>;
  fromHistory?(line: string, state: State): Step[];
  /** The session is being closed: last lines to its child, whose stdin is closed then. */
  shutdown?(state: State): Step[];
  /** The child has ended. What it leaves unanswered is answered by the runner. */
  exited?(exit: ChildExit, state: State): Step[];
}

/** What a roster's slot, or the command line, says of the program behind an adapter. */
export interface AdapterSettings {
  /** Program and arguments in place of the adapter's own program. */
  command: readonly string[] | undefined;
  /** Added to the arguments. */
  args: readonly string[];
  /** For `one-shot`. */
  output: "text" | "jsonl";
  /** For `one-shot`: arguments of every run but the first, `{session}` being what the program called the session. */
  resumeArgs: readonly string[] | undefined;
  preset: string | undefined;
  /** The environment that its children get: where their files are. */
  environment: Readonly<Record<string, string>>;
}

export interface Command {
  /** A path, or a name on the child's PATH. */
  program: string;
  args: string[];
}

export interface ChildExit extends Exit {
  /** The last lines of its stderr, oldest first. */
  stderr: string[];
}
