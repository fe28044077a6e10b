import { Code } from "../acp/errors.ts";
import { CANCEL_REQUEST } from "../acp/methods.ts";
import type { Askee, Desk, Withdraw } from "../permission/desk.ts";
import type { Question } from "../permission/question.ts";
import type { Id } from "../wire/message.ts";
import type { Reply } from "../wire/peer.ts";
import type { Attachment } from "./attachment.ts";
import type { Viewer } from "./viewer.ts";

/** Passed lines that may wait for a client that does not read: they are in no journal, so they wait in memory. */
const PASSED_BYTES = 8 * 1024 * 1024;

/** A client at a session: its attachment, and what is asked of it there, in the order of what it reads. */
export class Seat implements Askee {
  readonly viewer: Viewer;
  readonly attachment: Attachment;
  readonly #desk: Desk;
  readonly #end: () => number;
  #passedBytes = 0;

  /** `end`: the cursor at the end of the session's journal. */
  constructor(viewer: Viewer, attachment: Attachment, desk: Desk, end: () => number) {
    this.viewer = viewer;
    this.attachment = attachment;
    this.#desk = desk;
    this.#end = end;
  }

  get name(): string {
    return this.viewer.title;
  }

  get canAnswer(): boolean {
    return this.viewer.canAnswer;
  }

  ask(question: Question): Withdraw {
    return this.call(question.line, (reply) => {
      if (!reply.ok && reply.error.code === Code.methodNotFound) {
        this.viewer.canAnswer = false;
        this.#desk.unable(question, this);
      } else if (reply.ok || !reply.lost)
        this.#desk.answer(question, this, reply.ok ? reply.result : undefined);
    });
  }

  /** Asks with an agent's line, behind all that was recorded before it. The answer takes it back. */
  call(line: Buffer, settle: (reply: Reply) => void): Withdraw {
    let sent: { id: Id } | undefined;
    let over = false;
    const takeBack = this.attachment.post(this.#end(), () => {
      const id = this.viewer.relay(line, (reply) => {
        if (over) return;
        over = true;
        settle(reply);
      });
      sent = { id };
    });
    return () => {
      if (over) return;
      over = true;
      if (takeBack() || !sent || this.viewer.gone) return;
      const { id } = sent;
      this.attachment.post(this.#end(), () => this.viewer.notify(CANCEL_REQUEST, { requestId: id }));
      // It may never answer what it does not show any more.
      this.viewer.forget(id);
    };
  }

  /** Passes a line on, behind all that was recorded before it. */
  pass(lines: Buffer): void {
    const bytes = this.#passedBytes + lines.length;
    if (this.#passedBytes > 0 && bytes > PASSED_BYTES) {
      this.viewer.giveUp(`${bytes} bytes of notifications`);
      return;
    }
    this.#passedBytes = bytes;
    this.attachment.post(this.#end(), () => {
      this.#passedBytes -= lines.length;
      this.viewer.write(lines);
    });
  }
}
