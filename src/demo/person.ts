import { type Fields, isFields } from "../acp/checks.ts";
import type { Keyboard } from "./keyboard.ts";

export interface Option {
  id: string;
  name: string;
  /** ACP's: allow_once, reject_once, … */
  kind: string;
}

/** A permission question as the client got it. */
export interface Question {
  toolCallId: string;
  options: readonly Option[];
}

export interface Choice {
  optionId: string;
  /** The choice, to be shown. */
  words: string;
}

/** Whoever answers permission questions. */
export interface Person {
  /** A key for each of the options, in their order; fewer or none where nobody sits at a keyboard. */
  keysFor(question: Question): readonly string[];
  /** `withdrawn` ends the wait without a choice. */
  decide(question: Question, withdrawn: AbortSignal): Promise<Choice | undefined>;
}

/** Throws when the question cannot be answered. */
export function readQuestion(params: unknown): Question {
  const fields = isFields(params) ? params : {};
  const options = Array.isArray(fields.options) ? fields.options.filter(isFields) : [];
  const toolCall = isFields(fields.toolCall) ? fields.toolCall : {};
  if (options.length === 0) throw new Error("A permission question came without options.");
  return { toolCallId: String(toolCall.toolCallId), options: options.map(readOption) };
}

const readOption = ({ optionId, name, kind }: Fields): Option => ({
  id: String(optionId),
  name: String(name),
  kind: String(kind),
});

/** Somebody at a keyboard. */
export class PersonAtKeyboard implements Person {
  readonly #keyboard: Keyboard;

  constructor(keyboard: Keyboard) {
    this.#keyboard = keyboard;
  }

  /** `y` allows this once, `n` refuses it this once; what goes further has a number. */
  keysFor({ options }: Question): string[] {
    const yes = options.findIndex(({ kind }) => kind === "allow_once");
    const no = options.findIndex(({ kind }) => kind === "reject_once");
    return options.map((_, index) => {
      if (index === yes) return "y";
      return index === no ? "n" : String(index + 1);
    });
  }

  async decide(question: Question, withdrawn: AbortSignal): Promise<Choice | undefined> {
    const keys = this.keysFor(question);
    const key = await this.#keyboard.press(keys, withdrawn);
    const option = question.options[keys.indexOf(key ?? "")];
    return option && { optionId: option.id, words: option.name };
  }
}

/** Nobody: this program allows what is asked, and says that it was the one. */
export class NobodyThere implements Person {
  keysFor(): string[] {
    return [];
  }

  async decide({ options }: Question): Promise<Choice | undefined> {
    const option = options.find(({ kind }) => kind === "allow_once");
    return (
      option && { optionId: option.id, words: `${option.name} (nobody is at a keyboard: the demo answered)` }
    );
  }
}
