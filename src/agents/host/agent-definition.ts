import type { Session } from "./session.ts";
import type { StopReason, Turn } from "./turn.ts";

/** An agent, written as code. */
export interface AgentDefinition {
  /** For clients and logs: letters, digits, dashes. */
  readonly name: string;
  readonly title?: string;
  readonly version?: string;
  /** What it takes beside text and links; without it, everything. */
  readonly accepts?: { readonly image?: boolean; readonly audio?: boolean; readonly files?: boolean };
  /** Plays a turn. Nothing returned is `end_turn`; what it throws is the error that the client gets. */
  prompt(turn: Turn): StopReason | undefined | void | Promise<StopReason | undefined> | Promise<void>;
  /**
   * Whether it knows a session of an earlier process, which is then taken up. Without this, a session is known when
   * it remembers something.
   */
  resume?(session: Session): boolean | Promise<boolean>;
}

export const isAgentDefinition = (value: unknown): value is AgentDefinition =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  "prompt" in value &&
  typeof value.prompt === "function";
