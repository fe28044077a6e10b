import type { ClientCapabilities } from "../acp/agent-side.ts";
import type { Id } from "../wire/message.ts";
import type { Settle } from "../wire/peer.ts";
import type { Reader } from "./attachment.ts";

/** A client as a session sees it: someone who reads along, may be asked, and may be called. */
export interface Viewer extends Reader {
  /** For the log. */
  readonly name: string;
  /** For people and the record: its program, and its name. */
  readonly title: string;
  readonly capabilities: ClientCapabilities;
  /** It wants to be told its own prompts, as all others are. */
  readonly echo: boolean;
  /** It said that it sends nothing more, or its connection is lost: it is asked nothing and called for nothing. */
  readonly gone: boolean;
  /** It gave itself a name: when it is gone, it is expected back, and what was asked of it waits. */
  readonly returns: boolean;
  /** It sits on the hall's machine: a path means the same to it as to the hall. */
  readonly local: boolean;
  /** False once it answered a question with "no such method". */
  canAnswer: boolean;
  /** It is asked what an agent may do. */
  readonly mayApprove: boolean;
  /** Asks with another peer's line, every byte but the id as it came. */
  relay(line: Buffer, settle: Settle): Id;
  /** Wants no answer any more to what it was asked. */
  forget(id: Id): void;
  notify(method: string, params: unknown): void;
  /** It does not read, and `what` waits for it: its connection ends, since memory does not grow with a client. */
  giveUp(what: string): void;
}
