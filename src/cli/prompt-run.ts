import { type Fields, fieldsOf, requiredString } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod } from "../acp/methods.ts";
import { MARK_VARIABLE } from "../agents/mark.ts";
import { systemClock } from "../ground/clock.ts";
import { version } from "../ground/version.ts";
import { RequestFailed } from "../wire/peer.ts";
import { Answers } from "./answers.ts";
import { complaint } from "./complaint.ts";
import { Connection } from "./connection.ts";
import { goesOnWith } from "./goes-on.ts";
import type { HallAddress } from "./hall-address.ts";
import { isLoginWanted, loginWanted } from "./login-wanted.ts";
import { OneTurn, type TurnOutcome } from "./one-turn.ts";
import { paint } from "./paint.ts";
import { printable } from "./printable.ts";
import { sessionNamed, slotOfSession } from "./session-named.ts";
import { slotsOf } from "./slots-of.ts";
import { TerminalQuestions } from "./terminal-questions.ts";
import { ToolCalls } from "./tool-calls.ts";
import { outcomeCode, turnDocument } from "./turn-report.ts";
import { TurnView } from "./turn-view.ts";

export interface PromptRunParts {
  address: HallAddress;
  /** The id of a session, or what a new one is to be. */
  session: string | { slot: string | undefined; cwd: string };
  /** The turn's key. */
  key: string;
  blocks: readonly Fields[];
  /** Kinds of tools that are allowed without asking. */
  allowed: ReadonlySet<string>;
  /** A person sits at the terminal and can answer. */
  isAttended: boolean;
  isDetached: boolean;
  isForPrograms: boolean;
}

/** A turn of which nobody waits for the end. */
type Outcome = TurnOutcome | "detached";

const LEFT: TurnOutcome = { stopReason: "cancelled", usage: null };
const { dim, yellow } = paint(process.stderr);

/** `hall prompt`, once it is known what is to be sent: to whom, what is shown of it, and how it ended. */
export class PromptRun {
  readonly #parts: PromptRunParts;
  readonly #calls = new ToolCalls();
  readonly #view: TurnView;
  readonly #answers: Answers;
  readonly #turn: OneTurn;
  #sessionId: string | null = null;
  /** What to do about how it failed, where that is known. */
  #advice: string | undefined;
  #isInterrupted = false;
  #leave: () => void = () => {};

  constructor(parts: PromptRunParts) {
    const { key, allowed, isAttended, isForPrograms } = parts;
    this.#parts = parts;
    this.#view = new TurnView({ out: process.stdout, aside: process.stderr, calls: this.#calls });
    this.#answers = new Answers({
      calls: this.#calls,
      allowed,
      terminal: isAttended ? this.#terminal() : undefined,
      note: (what, { title, kind }) =>
        this.#view.note(`${yellow("!")} ${what}: ${printable(title)}  ${dim(kind)}`),
    });
    this.#turn = new OneTurn({
      key,
      answers: this.#answers,
      see: (update) => (isForPrograms ? this.#calls.see(update) : this.#view.see(update)),
    });
  }

  /** Resolves with the exit code. */
  async run(): Promise<number> {
    const interrupt = (): void => this.#interrupt();
    const left = new Promise<TurnOutcome>((resolve) => {
      this.#leave = () => resolve(LEFT);
    });
    process.on("SIGINT", interrupt);
    // Nobody reads what the agent says any more; the turn is the hall's, and goes on there.
    process.stdout.once("error", () => process.exit(1));
    const connecting = this.#connect();
    try {
      return this.#report(await Promise.race([this.#send(connecting), left]));
    } finally {
      process.off("SIGINT", interrupt);
      this.#answers.end();
      // One that is left before it is there is closed when it is; why it failed has been said.
      connecting.then(
        (connection) => connection.close(),
        () => {},
      );
    }
  }

  #terminal(): TerminalQuestions {
    return new TerminalQuestions({
      keys: process.stdin,
      screen: process.stderr,
      view: this.#view,
      clock: systemClock,
      interrupt: () => this.#interrupt(),
    });
  }

  #connect(): Promise<Connection> {
    const { address, session, isDetached } = this.#parts;
    const mark = process.env[MARK_VARIABLE];
    const slot = typeof session === "string" ? undefined : session.slot;
    return Connection.open({
      address,
      clock: systemClock,
      version: version(),
      meta: {
        [HallKey.echo]: true,
        ...(slot === undefined ? {} : { [HallKey.slot]: slot }),
        // Whoever leaves at once waits for nobody's turn.
        ...(mark === undefined || isDetached ? {} : { [HallKey.process]: mark }),
      },
      handlers: this.#turn.handlers,
    });
  }

  async #send(connecting: Promise<Connection>): Promise<Outcome> {
    const connection = await connecting;
    const outcome = await this.#sendOn(connection);
    if (outcome !== "detached" && "error" in outcome && isLoginWanted(outcome.error))
      this.#advice = loginWanted(outcome.error, await this.#slot(connection));
    return outcome;
  }

  async #sendOn(connection: Connection): Promise<Outcome> {
    const { session, blocks, isDetached } = this.#parts;
    try {
      this.#sessionId =
        typeof session === "string"
          ? await sessionNamed(connection, session)
          : await this.#newSession(connection, session.cwd);
    } catch (error) {
      if (error instanceof RequestFailed) return { error };
      throw error;
    }
    const sessionId = this.#sessionId;
    const turn = this.#turn.run(connection, sessionId, blocks);
    if (!isDetached) return turn;
    // The hall answers in order: with this answer it has taken the prompt, or has said why not.
    const accepted = connection.ask(AgentMethod.listSessions, {}).then(() => "detached" as const);
    return Promise.race([turn, accepted]);
  }

  /** Where the turn was to run. */
  async #slot(connection: Connection): Promise<string | undefined> {
    const { session } = this.#parts;
    if (typeof session === "string")
      return this.#sessionId === null ? undefined : slotOfSession(connection, this.#sessionId);
    return session.slot ?? slotsOf(connection.introduction)[0]?.name;
  }

  async #newSession(connection: Connection, cwd: string): Promise<string> {
    const made = await connection.ask(AgentMethod.newSession, { cwd, mcpServers: [] });
    return requiredString(fieldsOf(made), "sessionId");
  }

  /** The first time the turn is cancelled, the second time nobody waits for that. */
  #interrupt(): void {
    if (this.#isInterrupted || !this.#turn.isSent) {
      this.#leave();
      return;
    }
    this.#isInterrupted = true;
    this.#turn.cancel();
    this.#view.note(dim("Cancelling; Ctrl-C again leaves at once."));
  }

  #report(outcome: Outcome): number {
    const { key: turn, isForPrograms } = this.#parts;
    const sessionId = this.#sessionId;
    this.#view.end();
    if (outcome === "detached") {
      process.stdout.write(isForPrograms ? `${JSON.stringify({ sessionId, turn })}\n` : `${turn}\n`);
      if (!isForPrograms) this.#view.note(dim(`It runs in session ${sessionId}.`));
      return 0;
    }
    const { text } = this.#turn;
    const { refused } = this.#answers;
    if (isForPrograms) process.stdout.write(`${turnDocument({ sessionId, turn, outcome, text, refused })}\n`);
    if ("error" in outcome)
      process.stderr.write(complaint(this.#advice === undefined ? outcome.error : new Error(this.#advice)));
    else if (outcome.stopReason !== "end_turn")
      this.#view.note(yellow(`The turn ended: ${printable(outcome.stopReason)}.`));
    if (!isForPrograms && sessionId !== null) goesOnWith(`hall prompt --session ${sessionId} …`);
    return outcomeCode(outcome);
  }
}
