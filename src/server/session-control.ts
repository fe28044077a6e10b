import type { Call } from "../acp/agent-side.ts";
import { type Fields, optionalString, requiredString } from "../acp/checks.ts";
import { invalidParams } from "../acp/errors.ts";
import { HallMethod } from "../acp/extensions.ts";
import type { Hall } from "../hall/hall.ts";
import type { Session } from "../hall/session.ts";
import type { SessionTurn } from "../hall/turns.ts";

/** Sessions that are listed to whoever does not say how many. */
const LISTED = 50;

/** Control methods about sessions and their turns. A session may be named by the beginning of its id. */
export class SessionControl {
  readonly #hall: () => Hall;

  constructor(hall: () => Hall) {
    this.#hall = hall;
  }

  /** Undefined: there is no such method. */
  answerTo({ method, params }: Call): (() => object | Promise<object>) | undefined {
    switch (method) {
      case HallMethod.sessions:
        return () => this.#sessions(params);
      case HallMethod.resetSession:
        return () => this.#reset(this.#session(params));
      case HallMethod.turns:
        return () => ({ turns: this.#turns() });
      case HallMethod.dropTurn:
        return () => this.#drop(requiredString(params, "turn"), optionalString(params, "sessionId"));
      case HallMethod.cancel:
        return () => this.#cancel(this.#session(params));
      case HallMethod.kill:
        return () => this.#kill(this.#session(params));
      default:
        return undefined;
    }
  }

  #sessions({ sessionId, limit }: Fields): object {
    const { sessions } = this.#hall();
    if (typeof sessionId === "string") return sessions.detail(sessionId);
    return sessions.report(typeof limit === "number" ? limit : LISTED);
  }

  async #reset(session: Session): Promise<object> {
    await session.reset();
    return { sessionId: session.id };
  }

  #turns(): object[] {
    return this.#hall().sessions.live.flatMap((session) => {
      const waiting = session.turns.open.filter(({ state }) => state === "queued");
      return session.turns.open.map((turn) => this.#turnRow(session, turn, waiting.indexOf(turn) + 1));
    });
  }

  /** `position`: among those that wait in its session, from 1; 0: it does not wait. */
  #turnRow({ id, slot, turns, files }: Session, turn: SessionTurn, position: number): object {
    const { clock, desk } = this.#hall();
    const { state, acceptedAt, cancelled } = turn;
    const questions = state === "requires_action" ? [...desk.waiting(id)] : [];
    return {
      turn: turn.id,
      sessionId: id,
      slot: slot.name,
      state,
      title: files.memory.title ?? null,
      acceptedAt: new Date(acceptedAt).toISOString(),
      ageMs: clock.now() - acceptedAt,
      ...(position > 0 ? { position, waitsFor: turns.waitsFor(turn) } : {}),
      ...(cancelled ? { cancelled } : {}),
      ...(questions.length > 0 ? { questions: questions.map((question) => question.id) } : {}),
    };
  }

  /** Its prompt is answered as a cancelled one. */
  #drop(beginning: string, sessionId: string | undefined): object {
    const { session, turn } = this.#turn(beginning, sessionId);
    if (turn.state !== "queued")
      throw invalidParams(
        `Turn ${turn.id} does not wait any more: it runs; hall cancel ${session.id} ends it.`,
        { turn: turn.id, sessionId: session.id },
      );
    session.turns.cancel(turn);
    return { turn: turn.id, sessionId: session.id };
  }

  #cancel(session: Session): object {
    const turns = session.turns.open.map(({ id }) => id);
    session.turns.cancelAll();
    return { sessionId: session.id, turns };
  }

  async #kill(session: Session): Promise<object> {
    return { sessionId: session.id, ...(await session.kill()) };
  }

  /** One that is not over, by its id or by as much of it as no other begins with. */
  #turn(beginning: string, sessionId: string | undefined): { session: Session; turn: SessionTurn } {
    const { live } = this.#hall().sessions;
    const sessions = sessionId === undefined ? live : [this.#hall().sessions.named(sessionId)];
    const open = sessions.flatMap((session) => session.turns.open.map((turn) => ({ session, turn })));
    const exact = open.filter(({ turn }) => turn.id === beginning);
    const found = exact.length > 0 ? exact : open.filter(({ turn }) => turn.id.startsWith(beginning));
    const [only] = found;
    if (found.length > 1) {
      const named = found.map(({ session, turn }) => `${turn.id} in ${session.id}`).join(", ");
      throw invalidParams(`Several turns begin with ${beginning}: ${named}; name the session too.`, {
        turn: beginning,
      });
    }
    if (only) return only;
    const ended = sessions.some(({ files }) => files.memory.turns.has(beginning));
    const what = ended
      ? "does not wait any more: it is over"
      : "is not there: nothing of that name runs or waits";
    throw invalidParams(`Turn ${beginning} ${what}; hall queue shows what waits.`, { turn: beginning });
  }

  #session(params: Fields): Session {
    return this.#hall().sessions.named(requiredString(params, "sessionId"));
  }
}
