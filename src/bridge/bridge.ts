import { type Fields, isFields } from "../acp/checks.ts";
import { Code } from "../acp/errors.ts";
import { AgentMethod } from "../acp/methods.ts";
import { encode, type Id, readMessage } from "../wire/message.ts";
import type { Transport } from "../wire/transport.ts";
import { Lane } from "./lane.ts";
import { OpenRequests } from "./open-requests.ts";
import { withSlot } from "./slot-choice.ts";

export interface BridgeParts {
  /** Not started yet. */
  editor: Transport;
  /** Not started yet. */
  hall: Transport;
  /** The slot of this connection; undefined: as the editor says, else the hall's first. */
  slot?: string | undefined;
  /** What the hall says of itself, when it has answered `initialize`. */
  met?(agentInfo: Fields): void;
}

/**
 * `editor left`: it said all that it had to say, and every answer went out. `dropped`: nobody is there any more who
 * would read one. `hall lost`: what the editor had asked was answered with errors.
 */
export type BridgeEnd = "editor left" | "dropped" | "hall lost";

const LOST = "The connection to the hall was lost before it answered; start a new one to go on.";
const TOO_LONG = "The line is longer than any hall takes.";

/**
 * An editor in front, a hall behind, each other's lines in between: byte for byte, but for the slot in
 * `initialize`. Whichever side does not read is waited for. It watches what is asked and answered, so that nothing
 * stays without an answer when the hall is lost.
 */
export class Bridge {
  readonly #parts: BridgeParts;
  readonly #fromEditor: Lane;
  readonly #fromHall: Lane;
  readonly #open = new OpenRequests();
  #introduction: Id | undefined;
  #editorEnded = false;
  #end: ((how: BridgeEnd) => void) | undefined;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    const { editor, hall } = parts;
    this.#fromEditor = new Lane({
      from: editor,
      to: hall,
      pass: (line) => this.#toHall(line),
      tooLong: () => this.#refuseLine(),
    });
    this.#fromHall = new Lane({
      from: hall,
      to: editor,
      pass: (line) => this.#toEditor(line),
      tooLong: () => this.#hallGone(),
    });
  }

  /** Starts both sides; resolves when it is over. What was written last may still be on its way to the editor. */
  run(): Promise<BridgeEnd> {
    const { editor, hall } = this.#parts;
    return new Promise((resolve) => {
      this.#end = resolve;
      hall.start({
        chunk: (bytes) => this.#fromHall.chunk(bytes),
        ended: () => this.#hallGone(),
        closed: () => this.#hallGone(),
      });
      editor.start({
        chunk: (bytes) => this.#fromEditor.chunk(bytes),
        ended: () => this.#editorLeft(),
        closed: () => this.drop(),
      });
    });
  }

  /** Nobody is in front any more: ends at once, without a word. */
  drop(): void {
    if (!this.#end) return;
    this.#parts.editor.destroy();
    this.#finish("dropped");
  }

  #toHall(line: Buffer): Buffer {
    const message = readMessage(line);
    if (message.kind !== "request") return line;
    this.#open.asked(message.id);
    if (message.method !== AgentMethod.initialize) return line;
    this.#introduction = message.id;
    const { slot } = this.#parts;
    return slot === undefined ? line : withSlot(line, message.params, slot);
  }

  #toEditor(line: Buffer): Buffer {
    const message = readMessage(line);
    if (message.kind !== "response") return line;
    this.#open.answered(message.id);
    if (message.id !== this.#introduction) return line;
    this.#introduction = undefined;
    const { result } = message;
    if (isFields(result) && isFields(result.agentInfo)) this.#parts.met?.(result.agentInfo);
    return line;
  }

  /** The hall answers what is open, then closes. */
  #editorLeft(): void {
    this.#editorEnded = true;
    this.#fromEditor.end();
    this.#parts.hall.end();
  }

  #hallGone(): void {
    if (!this.#end) return;
    this.#fromHall.cut();
    const lost = this.#open.takeAll();
    for (const id of lost) this.#tellEditor(id, Code.internal, LOST);
    this.#endEditor();
    this.#finish(this.#editorEnded && lost.length === 0 ? "editor left" : "hall lost");
  }

  #refuseLine(): void {
    this.#tellEditor(null, Code.invalidRequest, TOO_LONG);
    this.#endEditor();
    this.#finish("editor left");
  }

  #tellEditor(id: Id, code: number, message: string): void {
    this.#parts.editor.write(encode({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  #endEditor(): void {
    this.#parts.editor.pause();
    this.#parts.editor.end();
  }

  #finish(how: BridgeEnd): void {
    const end = this.#end;
    this.#end = undefined;
    this.#parts.hall.destroy();
    end?.(how);
  }
}
