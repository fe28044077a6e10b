import { type Fields, fieldsOf, isFields, metaOf, optionalString } from "../acp/checks.ts";
import { HallKey, HallMethod } from "../acp/extensions.ts";
import { AgentMethod, ClientMethod } from "../acp/methods.ts";
import { kindOf, updateOf } from "../acp/updates.ts";
import type { BridgeNews } from "../bridge/bridge.ts";
import type { Clock } from "../ground/clock.ts";
import type { IncomingRequest } from "../wire/peer.ts";
import { Answers } from "./answers.ts";
import type { HallAddress } from "./hall-address.ts";
import type { KeyInput } from "./keyboard.ts";
import { isUnknown, knownSession, unknownSession } from "./known-session.ts";
import { LastingConnection, PATIENCE_MS } from "./lasting-connection.ts";
import { linkNews } from "./link-news.ts";
import { type Paint, paint } from "./paint.ts";
import { printable } from "./printable.ts";
import { endOf, took } from "./session-view.ts";
import { TerminalQuestions } from "./terminal-questions.ts";
import { ToolCalls } from "./tool-calls.ts";
import { type Screen, TurnView } from "./turn-view.ts";

export interface FollowerParts {
  address: HallAddress;
  clock: Clock;
  version: string;
  /** Its id, or its beginning. */
  session: string;
  isFromStart: boolean;
  isForPrograms: boolean;
  /** Where its questions are answered; undefined: they are not, from here. */
  keys: KeyInput | undefined;
  /** For what the agent says. */
  out: Screen;
  /** For all else. */
  aside: Screen;
}

/** `hall attach`: shows what goes on in one session, whoever prompts there. */
export class Follower {
  sessionId: string;
  readonly #parts: FollowerParts;
  readonly #paint: Paint;
  readonly #calls = new ToolCalls();
  readonly #view: TurnView;
  readonly #answers: Answers;
  /** The turn that was shown last, and those of which it was shown how they ended. */
  #turn: string | undefined;
  readonly #ended = new Set<string>();
  #history: readonly Fields[] = [];
  #link: LastingConnection | undefined;
  #finish: (code: number) => void = () => {};

  constructor(parts: FollowerParts) {
    const { out, aside, session } = parts;
    this.#parts = parts;
    this.sessionId = session;
    this.#paint = paint(aside);
    this.#view = new TurnView({ out, aside, calls: this.#calls, showsDiffs: true });
    this.#answers = new Answers({
      calls: this.#calls,
      allowed: new Set(),
      terminal: this.#terminal(),
      note() {},
    });
  }

  /** Resolves with the exit code. Rejects with UnknownSession, NoHall, NotAllowed, or a RequestFailed. */
  async run(): Promise<number> {
    const over = new Promise<number>((resolve) => {
      this.#finish = resolve;
    });
    try {
      await this.#attach();
      return await over;
    } finally {
      this.#answers.end();
      this.#view.end();
      this.#link?.close();
    }
  }

  /** The session goes on. */
  leave(): void {
    this.#finish(0);
  }

  #terminal(): TerminalQuestions | undefined {
    const { keys, aside: screen, clock } = this.#parts;
    const interrupt = (): void => this.leave();
    return keys && new TerminalQuestions({ keys, screen, view: this.#view, clock, interrupt });
  }

  async #attach(): Promise<void> {
    const { address, clock, version, session, isFromStart } = this.#parts;
    this.#link = await LastingConnection.open({
      address,
      clock,
      version,
      meta: { [HallKey.echo]: true },
      handlers: {
        update: (sessionId, params) => this.#update(sessionId, params),
        request: (request) => this.#asked(request),
        withdrawn: (request) => this.#withdrawn(request),
        notification: (method, params) => this.#told(method, params),
        ended: () => this.#finish(1),
      },
      told: (news) => this.#news(news),
    });
    const { connection } = this.#link;
    const { id, cwd, slot, history } = await knownSession(connection, session);
    this.sessionId = id;
    this.#history = history;
    const welcome = `${slot === undefined ? "" : `${slot}, `}session ${id}. Ctrl-C leaves; it goes on.`;
    if (isFromStart) this.#note(welcome);
    this.#watchTurns();
    const method = isFromStart ? AgentMethod.loadSession : AgentMethod.resumeSession;
    try {
      await connection.ask(method, { sessionId: id, cwd, mcpServers: [] });
    } catch (error) {
      throw isUnknown(error) ? unknownSession(session) : error;
    }
    if (isFromStart) this.#showEnd(this.#turn);
    else this.#note(welcome);
  }

  #update(sessionId: string, params: Fields): void {
    if (sessionId !== this.sessionId) return;
    const update = updateOf(params);
    const turn = optionalString(metaOf(params), HallKey.turn);
    if (this.#parts.isForPrograms) {
      this.#calls.see(update);
      this.#parts.out.write(`${JSON.stringify(params)}\n`);
      return;
    }
    if (kindOf(update) === "user_message_chunk" && turn !== this.#turn) {
      this.#showEnd(this.#turn);
      this.#turn = turn;
      this.#view.begin();
    }
    this.#view.see(update, turn);
  }

  // Questions

  #asked(request: IncomingRequest): boolean {
    if (request.method !== ClientMethod.requestPermission) return false;
    // Without an answer of ours it waits for somebody else's.
    if (this.#parts.keys) this.#answers.take(request, false);
    else if (!this.#parts.isForPrograms) this.#showQuestion(fieldsOf(request.params));
    return true;
  }

  #showQuestion({ toolCall }: Fields): void {
    const call = isFields(toolCall) ? this.#calls.see(toolCall) : undefined;
    if (!call) return;
    const { yellow, bold, dim } = this.#paint;
    this.#view.note(
      `${yellow("?")} ${bold(printable(call.title).replaceAll("\n", " "))}  ${dim(call.kind)}`,
      dim("    It waits for an answer: hall attach --approve, or hall permissions allow."),
    );
  }

  #withdrawn(request: IncomingRequest): void {
    this.#answers.withdrawn(request);
    if (!this.#parts.keys) this.#note("It is no longer asked.");
  }

  // How turns end: told to those with the scope for it

  #watchTurns(): void {
    this.#link?.connection.request(HallMethod.events, { filter: "turn." }, () => {});
  }

  #told(method: string, event: Fields): void {
    if (method !== HallMethod.event || event.sessionId !== this.sessionId) return;
    if (this.#parts.isForPrograms) this.#parts.out.write(`${JSON.stringify(event)}\n`);
    else if (event.type === "turn.ended" && typeof event.turn === "string") void this.#sawEnd(event.turn);
  }

  async #sawEnd(turn: string): Promise<void> {
    const link = this.#link;
    if (!link) return;
    const known = await knownSession(link.connection, this.sessionId).catch(() => undefined);
    this.#history = known?.history ?? this.#history;
    this.#showEnd(turn);
  }

  #showEnd(id: string | undefined): void {
    const turn = this.#history.find((row) => row.turn === id);
    if (id === undefined || !turn || turn.endedAt === null || this.#ended.has(id)) return;
    this.#ended.add(id);
    this.#view.end();
    const after = turn.startedAt === null ? "" : ` after ${took(turn)}`;
    const { red, dim } = this.#paint;
    if (isFields(turn.error))
      this.#view.note(red(`The turn failed${after}: ${printable(String(turn.error.message))}`));
    else this.#view.note(dim(`The turn ended${after}: ${printable(endOf(turn))}.`));
  }

  #news(news: BridgeNews): void {
    if (news.state === "back") this.#watchTurns();
    this.#view.note(this.#paint.dim(printable(linkNews(news, PATIENCE_MS, "what is shown"))));
  }

  /** Beside what is followed, for people. */
  #note(...lines: string[]): void {
    if (this.#parts.isForPrograms) return;
    this.#view.note(...lines.map(this.#paint.dim));
  }
}
