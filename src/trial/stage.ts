import { type Fields, isFields } from "../acp/checks.ts";
import { AgentMethod } from "../acp/methods.ts";
import type { Graces } from "../agents/process.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import type { Clock } from "../ground/clock.ts";
import { messageOf } from "../ground/thrown.ts";
import { refuse } from "./answering.ts";
import { Conversation, isLoginWanted } from "./conversation.ts";
import type { Prompts } from "./prompts.ts";
import type { Asked, Recording } from "./recording.ts";
import { isHistory, updateIn } from "./update.ts";

/** How long is waited, in ms. */
export interface Patience {
  /** For an answer. */
  answer: number;
  /** For the end of a cancelled turn: the hall's `cancel_grace`. */
  cancel: number;
}

/** ms: what comes behind an answer comes within this; an agent that got EOF, or SIGTERM, ends within that. */
export const QUIET_MS = 600;
export const EOF_MS = 3_000;
export const TERMINATE_MS = 5_000;
/** ms for which a turn must go on to be one that can be cancelled. */
const UNDER_WAY_MS = 300;
/** ms in which what an ended agent started goes by itself. */
const LEEWAY_MS = 1_500;
/** How what it left is ended: later than it is looked for. */
export const SWEEP: Graces = { close: 2 * LEEWAY_MS, terminate: 2_000 };

export interface StageParts {
  clock: Clock;
  recording: Recording;
  patience: Patience;
  /** Undefined: none is sent. */
  prompts: Prompts | undefined;
  /** Absolute. */
  cwd: string;
  lineLimit: number;
  /** A mode to set before it is asked for something that it should ask about. */
  askingMode: string | undefined;
  /** What each process of the agent is told of its client. */
  clientInfo: Fields;
  /** Starts the slot's agent. Throws `spawn_failed`. */
  spawn(cwd: string): RunningAgent;
  /** The command line of a process that a snapshot named. */
  commandOf(identity: string): string;
}

/** A session in which nothing runs. */
export interface Seat {
  readonly conversation: Conversation;
  readonly sessionId: string;
}

/** What the scenes play on: one process of the agent after another, and the session in it. */
export class Stage {
  readonly parts: StageParts;
  /** The latest session in which a turn was answered: one to come back to. */
  lasting: string | undefined;
  #conversation: Conversation | undefined;
  #seat: Seat | undefined;
  #process = 0;
  /** Why nothing more can be played. */
  #broken: string | undefined;
  #over = false;

  constructor(parts: StageParts) {
    this.parts = parts;
  }

  get capabilities(): Fields {
    return this.parts.recording.capabilities;
  }

  can(ability: string): boolean {
    const { sessionCapabilities } = this.capabilities;
    return isFields(sessionCapabilities) && isFields(sessionCapabilities[ability]);
  }

  get modes(): Fields {
    const answers = this.parts.recording.asked(AgentMethod.newSession);
    const modes = answers.find(({ reply }) => isFields(reply?.result.modes))?.reply?.result.modes;
    return isFields(modes) ? modes : {};
  }

  /** A process that has answered `initialize`: the one that is there, or a new one. Undefined, and said why: none. */
  async process(): Promise<Conversation | undefined> {
    if (this.#conversation && !this.#conversation.gone) return this.#conversation;
    const conversation = this.start();
    if (!conversation) return undefined;
    const asked = await this.introduce(conversation, 1);
    if (asked?.reply && !asked.reply.error && !asked.reply.malformed) return conversation;
    this.#broken ??= "it does not answer initialize";
    await this.leave();
    return undefined;
  }

  /** A new process, which was told nothing yet. */
  start(): Conversation | undefined {
    const { recording, spawn, cwd, clock, lineLimit } = this.parts;
    if (this.#over) this.#broken ??= "the trial was given up";
    if (this.#broken !== undefined) {
      recording.add(this.#process, { kind: "skipped", why: this.#broken });
      return undefined;
    }
    this.#process += 1;
    try {
      const parts = { clock, recording, process: this.#process, lineLimit };
      this.#conversation = new Conversation(spawn(cwd), parts);
      this.#conversation.answering = refuse;
    } catch (error) {
      this.#broken = "it cannot be started";
      recording.add(this.#process, { kind: "unstartable", why: messageOf(error) });
    }
    return this.#conversation;
  }

  /** `initialize`; nothing is offered, so that the agent does everything itself. */
  async introduce(conversation: Conversation, protocolVersion: number): Promise<Asked | undefined> {
    return this.answer(conversation, AgentMethod.initialize, {
      protocolVersion,
      clientInfo: this.parts.clientInfo,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
  }

  /** Asks, and waits for the answer. */
  async answer(conversation: Conversation, method: string, params: Fields): Promise<Asked | undefined> {
    const asked = conversation.ask(method, params);
    await conversation.until(() => asked()?.reply !== undefined, this.parts.patience.answer);
    return asked();
  }

  /** The session, made if there is none. Undefined, and said why: there can be none. */
  async seat(): Promise<Seat | undefined> {
    if (this.#seat && !this.#seat.conversation.gone) return this.#seat;
    const conversation = await this.process();
    if (!conversation) return undefined;
    const asked = await this.answer(conversation, AgentMethod.newSession, this.place);
    const sessionId = asked?.reply?.result.sessionId;
    if (typeof sessionId === "string" && sessionId !== "") return this.sit(conversation, sessionId);
    this.#broken ??= isLoginWanted(asked) ? "it wants a login first" : "it gives no session";
    conversation.skip(this.#broken);
    return undefined;
  }

  sit(conversation: Conversation, sessionId: string): Seat {
    conversation.answering = refuse;
    this.#seat = { conversation, sessionId };
    return this.#seat;
  }

  get place(): Fields {
    return { cwd: this.parts.cwd, mcpServers: [] };
  }

  /** Ends the process that is there: the next scene gets a new one. */
  async leave(): Promise<void> {
    const conversation = this.#conversation;
    this.#conversation = undefined;
    this.#seat = undefined;
    await conversation?.end();
  }

  /** Nobody waits for the rest. */
  async giveUp(): Promise<void> {
    this.#over = true;
    await this.#conversation?.kill();
  }

  /** The session is closed; the process stays. */
  unseat(): void {
    this.#seat = undefined;
  }

  prompt({ conversation, sessionId }: Seat, text: string): () => Asked | undefined {
    return conversation.ask(AgentMethod.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Until a turn is well under way: something of it was heard, and it goes on. Or it is over. */
  async untilRunning({ conversation }: Seat, turn: () => Asked | undefined): Promise<void> {
    const isOver = (): boolean => turn()?.reply !== undefined;
    await conversation.until(() => isOver() || this.#hasBegun(turn()), this.parts.patience.answer);
    await conversation.within(isOver, UNDER_WAY_MS);
  }

  /** Whether words, thoughts, or a tool were heard of it. */
  #hasBegun(turn: Asked | undefined): boolean {
    if (!turn) return false;
    return this.parts.recording.between(turn.sent).some((entry) => {
      const update = updateIn(entry);
      return update?.sessionId === turn.params.sessionId && isHistory(update?.kind ?? "");
    });
  }

  /** Ends a turn as a client does; where it does not end, its process does. */
  async endTurn(seat: Seat, turn: () => Asked | undefined): Promise<void> {
    const { conversation, sessionId } = seat;
    if (turn()?.reply === undefined && !conversation.gone) {
      conversation.cancel(sessionId);
      conversation.settleQuestions();
      await conversation.until(() => turn()?.reply !== undefined, this.parts.patience.cancel);
    }
    await this.afterTurn(seat, turn);
  }

  /** What comes behind the answer comes now. */
  async afterTurn({ conversation, sessionId }: Seat, turn: () => Asked | undefined): Promise<void> {
    conversation.answering = refuse;
    conversation.settleQuestions();
    const reply = turn()?.reply;
    if (reply === undefined) await this.leave();
    else {
      if (!reply.error) this.lasting = sessionId;
      await conversation.quiet(QUIET_MS);
    }
  }

  /** Waits for the end that the agent was told of, and looks what it left. */
  async watchEnd(conversation: Conversation, ms: number): Promise<void> {
    const { clock, commandOf } = this.parts;
    const known = conversation.agent.toolsSnapshot();
    const hasEnded = await conversation.until(() => conversation.gone, ms);
    if (hasEnded && known !== undefined) {
      const end = clock.monotonic() + LEEWAY_MS;
      const living = (): string[] => [...(conversation.agent.toolsSnapshot() ?? [])];
      while (living().length > 0 && clock.monotonic() < end)
        await new Promise<void>((resolve) => {
          clock.after(100, resolve);
        });
      conversation.looked(living().map(commandOf));
    }
    // It had its time.
    await conversation.kill();
    await this.leave();
  }
}
