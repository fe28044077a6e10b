import type { Fields } from "../../../acp/checks.ts";
import { fieldsIn, listIn, numberOf, textOf, wordsOf } from "../native-line.ts";
import { selectOption } from "../select-option.ts";

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** The models that pi has keys for, and how much the chosen one thinks: ACP's config options. */
export class PiModels {
  level = "off";
  #current: Fields = {};
  #all: readonly Fields[] = [];

  takeState(state: Fields): void {
    this.#current = fieldsIn(state, "model");
    this.level = wordsOf(state, "thinkingLevel") ?? this.level;
  }

  takeModels(result: Fields): void {
    this.#all = listIn(result, "models");
  }

  get none(): boolean {
    return this.#all.length === 0;
  }

  /** Tokens. */
  get contextWindow(): number {
    return numberOf(this.#current, "contextWindow");
  }

  get options(): Fields[] {
    const models = this.#all.map((model) => ({
      value: nameOf(model),
      name: wordsOf(model, "name") ?? nameOf(model),
    }));
    const levels = LEVELS.map((level) => ({ value: level, name: level }));
    return [
      selectOption("model", "Model", "model", nameOf(this.#current), models),
      selectOption("thinking", "Thinking", "thought_level", this.level, levels),
    ];
  }

  /** The model of that value; undefined: there is none. */
  find(value: unknown): Fields | undefined {
    return this.#all.find((model) => nameOf(model) === value);
  }

  choose(model: Fields): void {
    this.#current = model;
  }

  hasLevel(value: unknown): value is string {
    return LEVELS.some((level) => level === value);
  }
}

const nameOf = (model: Fields): string => `${textOf(model, "provider")}/${textOf(model, "id")}`;
