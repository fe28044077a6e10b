import { metaOf, resultOf } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { withoutMeta } from "../acp/meta.ts";
import { CANCEL_REQUEST } from "../acp/methods.ts";
import { encode, type Id, isId, type RequestMessage } from "../wire/message.ts";
import { splice } from "../wire/splice.ts";

/** Something that the hall asks of the editor. */
interface Call {
  /** By which the hall asks again; undefined: it does not. */
  readonly key: string | undefined;
  readonly editorId: Id;
  /** The hall's id, on the connection of now. */
  hallId: Id | undefined;
  answer: Buffer | undefined;
}

/**
 * What the hall asks of the editor: permission, files, terminals. Each is shown once, however often it is asked over
 * one connection after another; an answer is kept until the hall is known to have it.
 */
export class Calls {
  readonly #byEditorId = new Map<Id, Call>();
  readonly #byKey = new Map<string, Call>();
  readonly #byHallId = new Map<Id, Call>();
  /** Answered before the life sign that is under way. */
  #marked: Call[] = [];
  #nextId = 0;

  /** A request of the hall's: what goes to the editor, or an answer that it gave before and that goes back. */
  asked({ id, params }: RequestMessage, line: Buffer): { toEditor: Buffer } | { toHall: Buffer } | undefined {
    const key = metaOf(resultOf(params))[HallKey.call];
    const known = typeof key === "string" ? this.#byKey.get(key) : undefined;
    if (known) {
      this.#bind(known, id);
      return known.answer && { toHall: withId(known.answer, id) };
    }
    const call: Call = {
      key: typeof key === "string" ? key : undefined,
      editorId: this.#nextId++,
      hallId: undefined,
      answer: undefined,
    };
    this.#byEditorId.set(call.editorId, call);
    if (call.key !== undefined) this.#byKey.set(call.key, call);
    this.#bind(call, id);
    return { toEditor: withId(withoutMeta(line, HallKey.call), call.editorId) };
  }

  /** The editor's answer: what goes to the hall, if it is there to take it. */
  answered(editorId: Id, line: Buffer): Buffer | undefined {
    const call = this.#byEditorId.get(editorId);
    if (!call || call.answer) return undefined;
    call.answer = line;
    return call.hallId === undefined ? undefined : withId(line, call.hallId);
  }

  /** The hall takes a request back: what goes to the editor, if it still shows it. */
  withdrawn(hallId: unknown): Buffer | undefined {
    const call = isId(hallId) ? this.#byHallId.get(hallId) : undefined;
    if (!call) return undefined;
    this.#forget(call);
    return call.answer ? undefined : cancelOf(call);
  }

  /** An answer is longer than the hall takes: it is answered with this instead. */
  shorten(limit: number, error: object): void {
    for (const call of this.#byEditorId.values()) {
      if (call.answer && call.answer.length > limit)
        call.answer = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: call.editorId, error }));
    }
  }

  /** A life sign is asked for: what was answered before it has arrived when it comes. */
  mark(): void {
    this.#marked = [...this.#byEditorId.values()].filter(({ answer }) => answer);
  }

  /** The life sign came. */
  confirm(): void {
    for (const call of this.#marked) this.#forget(call);
    this.#marked = [];
  }

  /** The connection is lost. */
  lost(): void {
    this.#marked = [];
    this.#byHallId.clear();
    for (const call of this.#byEditorId.values()) call.hallId = undefined;
  }

  /** The hall is back and has asked again what it still asks: what goes to the editor about all else. */
  settle(): Buffer[] {
    const gone = [...this.#byEditorId.values()].filter(({ hallId }) => hallId === undefined);
    for (const call of gone) this.#forget(call);
    return gone.filter(({ answer }) => !answer).map(cancelOf);
  }

  #bind(call: Call, hallId: Id): void {
    call.hallId = hallId;
    this.#byHallId.set(hallId, call);
  }

  #forget(call: Call): void {
    this.#byEditorId.delete(call.editorId);
    if (call.key !== undefined) this.#byKey.delete(call.key);
    if (call.hallId !== undefined) this.#byHallId.delete(call.hallId);
  }
}

const withId = (line: Buffer, id: Id): Buffer => splice(line, [{ path: ["id"], json: JSON.stringify(id) }]);

const cancelOf = ({ editorId }: Call): Buffer =>
  encode({ jsonrpc: "2.0", method: CANCEL_REQUEST, params: { requestId: editorId } }).subarray(0, -1);
