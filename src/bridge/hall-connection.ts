import { encode, type Id, type ResponseMessage } from "../wire/message.ts";
import { splice } from "../wire/splice.ts";
import type { Transport } from "../wire/transport.ts";
import { Lane } from "./lane.ts";
import { Outlet } from "./outlet.ts";

export interface HallConnectionParts {
  /** Not started yet. */
  transport: Transport;
  /** Whom its lines are for: the hall is read no faster than they are taken. */
  editor: Transport;
  /** Our own requests have ids that begin so: no editor's does. */
  name: string;
  /** Something came. */
  heard(): void;
  line(bytes: Buffer): void;
  readEnd(): void;
  tooLong(): void;
  /** It is lost. Called once, unless it was dropped before. */
  gone(): void;
}

/** One connection to the hall: its lines, what we write to it, and what we ask of the hall ourselves. */
export class HallConnection extends Outlet {
  readonly #parts: HallConnectionParts;
  readonly #lane: Lane;
  readonly #asked = new Map<Id, (answer: ResponseMessage, line: Buffer) => void>();
  #asks = 0;
  #dropped = false;

  constructor(parts: HallConnectionParts) {
    super(parts.transport);
    const { transport, editor, line, readEnd, tooLong } = parts;
    this.#parts = parts;
    this.#lane = new Lane({ from: transport, to: () => editor, line, readEnd, tooLong });
  }

  start(): void {
    const gone = (): void => {
      if (this.#dropped) return;
      this.drop();
      this.#parts.gone();
    };
    this.#parts.transport.start({
      chunk: (bytes) => {
        if (this.#dropped) return;
        this.#parts.heard();
        this.#lane.chunk(bytes);
      },
      ended: gone,
      closed: gone,
    });
  }

  get transport(): Transport {
    return this.#parts.transport;
  }

  /** Nothing is read from it, since the editor does not take what came. */
  get waits(): boolean {
    return this.#lane.waits;
  }

  /** Asks the hall, not for the editor. */
  ask(method: string, params: object, answered: (answer: ResponseMessage, line: Buffer) => void): void {
    this.askWith(encode({ jsonrpc: "2.0", id: null, method, params }).subarray(0, -1), answered);
  }

  /** As `ask`, with a line that has another id. */
  askWith(line: Buffer, answered: (answer: ResponseMessage, line: Buffer) => void): void {
    const id = `${this.#parts.name}.${this.#asks++}`;
    this.#asked.set(id, answered);
    this.add(splice(line, [{ path: ["id"], json: JSON.stringify(id) }]));
  }

  /** True: it was the answer to what we asked ourselves. */
  takes(answer: ResponseMessage, line: Buffer): boolean {
    const answered = this.#asked.get(answer.id);
    this.#asked.delete(answer.id);
    answered?.(answer, line);
    return answered !== undefined;
  }

  /** Everything was said: the hall answers what is open, then closes. */
  end(): void {
    this.flush();
    this.#parts.transport.end();
  }

  /** Nothing of it is heard any more, and half a line that came goes nowhere. */
  drop(): void {
    this.#dropped = true;
    this.#asked.clear();
    this.#lane.cut();
    this.#parts.transport.destroy();
  }
}
