import type { Id } from "../../../wire/message.ts";
import type { Opening } from "../opening.ts";
import type { Approval } from "./approval.ts";
import type { Items } from "./items.ts";
import type { Models } from "./models.ts";
import type { CodexWire } from "./wire.ts";

/** The prompt that runs. */
export interface CodexTurn {
  readonly prompt: Id;
  /** What Codex calls it, once it said so. */
  id: string | undefined;
  /** It is to be interrupted as soon as it has a name. */
  cancelled: boolean;
}

export interface CodexSession {
  readonly opening: Opening;
  readonly program: string;
  readonly args: string[];
  readonly wire: CodexWire;
  readonly items: Items;
  readonly models: Models;
  mode: string;
  opener: Id | undefined;
  threadId: string;
  turn: CodexTurn | undefined;
  readonly approvals: Map<string, { id: Id; approval: Approval }>;
}
