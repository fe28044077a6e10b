import type { Pinned } from "../install.ts";
import type { Script } from "./script.ts";

/** An agent that others made, as the tests run it behind a hall. */
export interface RealAgent {
  /** Its name in reports, and of its slot. */
  readonly name: string;
  readonly package: Pinned;
  /** Puts the agent's configuration into its home, and says what its slot is in the roster. */
  prepare(place: Place): Slot;
  /** The mode to set so that it asks before it acts; undefined: it does from the start. */
  readonly askingMode?: string;
  /** How a turn ends in which a question was refused: some agents go on and end it, some give it up. */
  readonly refusedTurn: "end_turn" | "cancelled";
  /** What to say to it. */
  readonly script: Script;
}

export interface Place {
  /** A home directory of its own: all of them keep state there. */
  readonly home: string;
  /** The fake model: `http://127.0.0.1:PORT`. */
  readonly model: string;
}

/** A slot of the roster. */
export interface Slot {
  /** A known agent, found on the PATH in `env`; its ways are the hall's business. */
  readonly agent?: string;
  readonly command?: readonly string[];
  /** What makes a program that does not speak ACP an agent. */
  readonly adapter?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cancel_tools?: boolean;
}
