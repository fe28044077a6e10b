import type { Block, Failure, Silence } from "../script/answer.ts";
import type { Conversation } from "../script/conversation.ts";

/** One event of a stream: its JSON, and its name where the API names events. */
export interface StreamEvent {
  readonly name?: string;
  /** The event's data: JSON, or a bare word (`[DONE]`). */
  readonly data: object | string;
}

/** One provider's API: what a request says, and how an answer looks. Pure: the server sends and waits. */
export interface Api {
  readonly name: string;
  serves(path: string): boolean;
  /** Throws a ZodError when the body is no request of this API. */
  read(body: unknown, path: string): Conversation;
  /** The answer as one document. */
  whole(conversation: Conversation, blocks: readonly Block[]): object;
  /** The answer as a stream, with its silences. */
  stream(conversation: Conversation, blocks: readonly Block[]): Iterable<StreamEvent | Silence>;
  failure(failure: Failure): object;
}
