import { randomBytes } from "node:crypto";
import { Code } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import { withMeta } from "../acp/meta.ts";
import { CANCEL_REQUEST } from "../acp/methods.ts";
import type { Askee, Desk, Withdraw } from "../permission/desk.ts";
import type { Question } from "../permission/question.ts";
import type { Id } from "../wire/message.ts";
import type { Reply } from "../wire/peer.ts";
import type { Attachment } from "./attachment.ts";
import type { Viewer } from "./viewer.ts";

/** Passed lines that may wait for a client that does not read: they are in no journal, so they wait in memory. */
const PASSED_BYTES = 8 * 1024 * 1024;

export interface SeatParts {
  desk: Desk;
  /** The cursor at the end of the session's journal. */
  end(): number;
  /** Of this hall's run: a question of another run under the same number is another question. */
  run: string;
}

/** Something that an agent asks of this client, until it is answered or taken back. */
interface Call {
  line: Buffer;
  /** By which a client that comes back knows it again. */
  key: string;
  settle(reply: Reply): void;
  /** Where it went: from anywhere else an answer counts for nothing. */
  at: Viewer | undefined;
  sent: Id | undefined;
  takeBack(): boolean;
}

/**
 * A client at a session: its attachment, and what is asked of it there, in the order of what it reads. A client that
 * returns keeps its seat while it is away; what an agent asked of it is asked again, under the same key.
 */
export class Seat implements Askee {
  readonly #parts: SeatParts;
  readonly #calls = new Set<Call>();
  #viewer: Viewer;
  #attachment: Attachment | undefined;
  #passedBytes = 0;

  constructor(viewer: Viewer, attachment: Attachment, parts: SeatParts) {
    this.#viewer = viewer;
    this.#attachment = attachment;
    this.#parts = parts;
  }

  get viewer(): Viewer {
    return this.#viewer;
  }

  /** Undefined: its client is away, or is back and has not looked at the session yet. */
  get attachment(): Attachment | undefined {
    return this.#attachment;
  }

  /** Someone sits there who can be asked. */
  get taken(): boolean {
    return this.#attachment !== undefined && !this.#viewer.gone;
  }

  get name(): string {
    return this.#viewer.title;
  }

  get canAnswer(): boolean {
    return this.#viewer.canAnswer;
  }

  /** The client has lost its connection, and returns. */
  leave(): void {
    const attachment = this.#attachment;
    this.#attachment = undefined;
    attachment?.detach();
  }

  /** The client is back by another connection: it looks at the session when it says so. */
  passTo(heir: Viewer): void {
    this.leave();
    this.#viewer = heir;
  }

  /** It looks at the session again. */
  sit(attachment: Attachment): void {
    this.#attachment = attachment;
    for (const call of this.#calls) this.#post(call);
  }

  /** Says something once everything before `place` has been said; at once to a client that does not look. */
  say(place: number, say: () => void): void {
    if (this.#attachment) this.#attachment.post(place, say);
    else say();
  }

  ask(question: Question): Withdraw {
    const settle = (reply: Reply): void => {
      if (!reply.ok && reply.error.code === Code.methodNotFound) {
        this.#viewer.canAnswer = false;
        this.#parts.desk.unable(question, this);
      } else if (reply.ok || !reply.lost)
        this.#parts.desk.answer(question, this, reply.ok ? reply.result : undefined);
    };
    return this.call(question.line, settle, `${this.#parts.run}.${question.id}`);
  }

  /** Asks with an agent's line, behind all that was recorded before it. The answer takes it back. */
  call(line: Buffer, settle: (reply: Reply) => void, key: string = randomBytes(8).toString("hex")): Withdraw {
    const call: Call = { line, key, settle, at: undefined, sent: undefined, takeBack: () => false };
    this.#calls.add(call);
    this.#post(call);
    return () => {
      if (!this.#calls.delete(call)) return;
      const { sent } = call;
      if (call.takeBack() || sent === undefined || !this.taken) return;
      const viewer = this.#viewer;
      this.say(this.#parts.end(), () => viewer.notify(CANCEL_REQUEST, { requestId: sent }));
      // It may never answer what it does not show any more.
      viewer.forget(sent);
    };
  }

  /** Passes a line on, behind all that was recorded before it. */
  pass(lines: Buffer): void {
    const bytes = this.#passedBytes + lines.length;
    if (this.#passedBytes > 0 && bytes > PASSED_BYTES) {
      this.#viewer.giveUp(`${bytes} bytes of notifications`);
      return;
    }
    const viewer = this.#viewer;
    this.#passedBytes = bytes;
    this.say(this.#parts.end(), () => {
      this.#passedBytes -= lines.length;
      viewer.write(lines);
    });
  }

  #post(call: Call): void {
    const viewer = this.#viewer;
    call.at = viewer;
    call.sent = undefined;
    const line = viewer.returns ? withMeta(call.line, HallKey.call, call.key) : call.line;
    const post = this.#attachment?.post(this.#parts.end(), () => {
      if (!this.#calls.has(call) || call.at !== viewer) return;
      call.sent = viewer.relay(line, (reply) => this.#answered(call, viewer, reply));
    });
    call.takeBack = post ?? (() => true);
  }

  #answered(call: Call, viewer: Viewer, reply: Reply): void {
    if (call.at !== viewer || !this.#calls.has(call)) return;
    if (!reply.ok && reply.lost && viewer.returns) call.sent = undefined;
    else {
      this.#calls.delete(call);
      call.settle(reply);
    }
  }
}
