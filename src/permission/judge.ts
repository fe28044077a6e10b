import { messageOf } from "../ground/thrown.ts";
import { NO_SHELL } from "./command-reader.ts";
import { narrowRule } from "./narrow-rule.ts";
import { decide, needsShell, type Verdict } from "./policy.ts";
import type { Rule } from "./rule.ts";
import type { ShellParser } from "./shell-parser.ts";
import type { ToolCall } from "./tool-call.ts";

/** The rules that hold for a session's calls, and the folder that relative paths mean. */
export interface Law {
  /** As the roster has them for its slot. */
  readonly roster: readonly Rule[];
  /** What a person allowed for this session; they answer only what would be asked. */
  readonly session: readonly Rule[];
  readonly cwd: string;
}

/** Decides calls by rules. What goes wrong on the way never decides: it is asked. */
export class Judge {
  readonly #parser: ShellParser;

  constructor(parser: ShellParser) {
    this.#parser = parser;
  }

  /** At once, but for the first command that has to be taken apart. */
  verdictOn(call: ToolCall, law: Law): Verdict | Promise<Verdict> {
    const isReady = this.#parser.loaded || !needsShell(call, [...law.roster, ...law.session]);
    return isReady
      ? this.#verdict(call, law)
      : this.#parser.load().then(() => this.#verdict(call, law), unjudged);
  }

  /** The rule by which more such calls could be allowed; undefined when none names it narrowly. */
  async ruleFor(call: ToolCall, cwd: string): Promise<Rule | undefined> {
    return narrowRule(call, cwd, call.command === undefined ? NO_SHELL : await this.#parser.load());
  }

  #verdict(call: ToolCall, { roster, session, cwd }: Law): Verdict {
    const shell = this.#parser.loaded;
    try {
      const ofRoster = decide(call, roster, cwd, shell);
      if (ofRoster.decision !== "ask" || session.length === 0) return ofRoster;
      const ofSession = decide(call, session, cwd, shell);
      return ofSession.decision === "allow" ? ofSession : ofRoster;
    } catch (error) {
      return unjudged(error);
    }
  }
}

const unjudged = (error: unknown): Verdict => ({
  decision: "ask",
  rule: undefined,
  why: `The rules could not be held against this (${messageOf(error)}).`,
});
