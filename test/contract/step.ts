/** What a program of the contract suite does in a turn: the words of its prompt, as JSON. */
export type Step =
  | { say: string }
  | { think: string }
  /** Runs a command without asking. */
  | { run: { command: string; output: string; exit: number } }
  /** Changes a file, in words only. */
  | { edit: { path: string; before: string; after: string } }
  /** Asks before it runs a command; then says "allowed once", "allowed always…" or "refused". */
  | { ask: { command: string } }
  /** A plan whose first entry is done. */
  | { plan: string[] }
  /** Does nothing until it is cancelled. */
  | { wait: true }
  /** Runs a command until it is cancelled. */
  | { hold: { command: string } }
  /** Its model's provider fails: with an HTTP status, or because the prompt is too long. */
  | { error: Failure }
  /** Ends the turn at a limit. */
  | { limit: true }
  /** pi: a failed attempt, then one that says this. */
  | { retry: string }
  /** Ends its process. */
  | { die: number }
  /** Says things that no version of today says. */
  | { unknown: true }
  /** One text of so many characters. */
  | { big: number }
  /** Says "WHAT: …" of what it was given. */
  | { tell: "images" | "resources" | "mode" | "model" | "memory" | "servers" };

export type Failure = "400" | "401" | "404" | "429" | "529" | "long";
