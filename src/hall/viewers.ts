import type { Desk } from "../permission/desk.ts";
import type { Backing } from "./backing.ts";
import type { AgentCalls } from "./calls.ts";
import type { Events } from "./events.ts";
import type { Permissions } from "./permissions.ts";
import type { Seat } from "./seat.ts";
import type { Slot } from "./slot.ts";
import type { Stream } from "./stream.ts";
import type { Turns } from "./turns.ts";
import type { Viewer } from "./viewer.ts";

export interface ViewersParts {
  sessionId: string;
  desk: Desk;
  events: Events;
  stream: Stream;
  turns: Turns;
  permissions: Permissions;
  calls: AgentCalls;
  backing: Backing;
  slot(): Slot;
  /** Somebody has left: it may be that nothing goes on in the session any more. */
  rested(): void;
}

/** How a client comes to look at a session. */
export interface Looking {
  /** From where; undefined: from the end. */
  cursor?: number | undefined;
  answer?: (() => void) | undefined;
  /** See `Stream.seat`. */
  begins?: ((cursor: number) => void) | undefined;
  again?: boolean;
}

/** The clients that look at one session: how each comes, goes, comes back, and is done with it. */
export class Viewers {
  readonly #parts: ViewersParts;

  constructor(parts: ViewersParts) {
    this.#parts = parts;
  }

  /**
   * A client looks on, from `cursor` (the end, if it does not say) until it leaves. `answer` is said once it has
   * read what was there when it came; then it is asked what is open. Who comes back (`again`) is asked that first: at
   * the answer it knows what is not asked any more.
   */
  attach(viewer: Viewer, { cursor, answer, begins, again = false }: Looking = {}): Seat {
    const { desk, sessionId, stream } = this.#parts;
    const seat = stream.seat(viewer, cursor, begins);
    const ask = (): void => {
      if (!viewer.gone && viewer.mayApprove) desk.came(sessionId, seat);
    };
    if (again) ask();
    if (answer) seat.say(stream.end, answer);
    if (!again) ask();
    return seat;
  }

  /** Says an answer to a client where it belongs: once it has read what was recorded before it. */
  answer(viewer: Viewer, cursor: number, say: () => void): void {
    const seat = this.#parts.stream.seatOf(viewer);
    if (seat) seat.say(cursor, say);
    else say();
  }

  /**
   * The client sends nothing more: it is asked nothing, and may still read. One that returns is still called for
   * what it alone can do: that waits for it.
   */
  silent(viewer: Viewer): void {
    const seat = this.#parts.stream.seatOf(viewer);
    if (!seat) return;
    this.#parts.desk.left(seat);
    if (viewer.returns) return;
    this.#parts.calls.viewerGone(seat);
    this.missed(viewer);
  }

  /** The client is gone, for longer than a moment: `on_disconnect: cancel` acts if nobody else looks on. */
  missed(viewer: Viewer): void {
    if (!this.#parts.stream.seatOf(viewer)) return;
    const nobody = this.#parts.stream.audience.every((other) => other.viewer === viewer);
    if (nobody && this.#parts.slot().config.onDisconnect === "cancel") this.#parts.turns.cancelAll();
  }

  /** The client's connection is over: one that returns keeps its seat. */
  lost(viewer: Viewer): void {
    if (!viewer.returns) {
      this.detach(viewer);
      return;
    }
    this.silent(viewer);
    this.#parts.stream.seatOf(viewer)?.leave();
  }

  /** The client is back by another connection, which has its seat and its turns from now on. */
  inherit(viewer: Viewer, heir: Viewer): void {
    const seat = this.#parts.stream.seatOf(viewer);
    if (seat) this.#parts.desk.left(seat);
    this.#parts.stream.inherit(viewer, heir);
    this.#parts.turns.inherit(viewer, heir);
  }

  /** The client looks no longer, and will not come back to what it was asked here. */
  detach(viewer: Viewer): void {
    const seat = this.#parts.stream.seatOf(viewer);
    if (!seat) return;
    this.#parts.desk.left(seat);
    this.#parts.calls.viewerGone(seat);
    this.missed(viewer);
    this.#parts.stream.unseat(seat);
    this.#parts.rested();
  }

  /**
   * A client is done with the session: its waiting turns end, and the running one if it is its own or nobody
   * else looks on. With nobody left the agent is freed. `closed` runs behind the answers to those turns.
   */
  async close(viewer: Viewer, closed: () => void): Promise<void> {
    const { backing, events, permissions, sessionId, stream, turns } = this.#parts;
    const othersLookOn = (): boolean => stream.audience.some((seat) => seat.viewer !== viewer);
    const mine = turns.open.filter((turn) => turn.sender === viewer || !othersLookOn());
    for (const turn of mine.reverse()) turns.cancel(turn);
    if (turns.running?.cancelled) await turns.untilOver();
    const leave = (): void => {
      closed();
      this.detach(viewer);
    };
    this.answer(viewer, stream.end, leave);
    // A process that starts for a turn that is over is for nobody either.
    if (!othersLookOn() && !turns.anyOpen && !permissions.anyOpen) await backing.release();
    events.emit("session.closed", { sessionId });
  }
}
