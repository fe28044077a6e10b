import type { Fields } from "../../../acp/checks.ts";
import { listIn, textOf, wordsOf } from "../native-line.ts";
import { selectOption } from "../select-option.ts";

/** The models of Codex's catalogue, and what is chosen of them: ACP's config options. */
export class Models {
  model: string | undefined;
  effort: string | undefined;
  #catalogue: readonly Fields[] = [];

  /** What `model/list` answered. */
  takeCatalogue(result: Fields): void {
    this.#catalogue = listIn(result, "data").filter(({ hidden }) => hidden !== true);
  }

  /** What a thread says is in force. */
  takeThread(result: Fields): void {
    this.model = wordsOf(result, "model") ?? this.model;
    this.effort = wordsOf(result, "reasoningEffort") ?? this.effort;
  }

  get options(): Fields[] {
    const known = this.#catalogue.map((model) => ({
      value: textOf(model, "model"),
      name: wordsOf(model, "displayName") ?? textOf(model, "model"),
      ...(wordsOf(model, "description") === undefined ? {} : { description: textOf(model, "description") }),
    }));
    // A roster or a configuration file can name one that is in no catalogue.
    const { model } = this;
    const own = model !== undefined && !known.some(({ value }) => value === model);
    const models = own ? [{ value: model, name: model }, ...known] : known;
    const efforts = this.#efforts.map((effort) => ({ value: effort, name: effort }));
    const current = this.effort ?? this.#defaultEffort;
    return [
      ...(model === undefined ? [] : [selectOption("model", "Model", "model", model, models)]),
      ...(efforts.length === 0 || current === undefined
        ? []
        : [selectOption("reasoning_effort", "Reasoning", "thought_level", current, efforts)]),
    ];
  }

  /** Chooses; false: there is no such choice. */
  choose(option: string, value: unknown): boolean {
    const offered = this.options.find(({ id }) => id === option);
    if (!offered || typeof value !== "string") return false;
    if (!listIn(offered, "options").some((choice) => choice.value === value)) return false;
    if (option === "reasoning_effort") this.effort = value;
    else {
      this.model = value;
      if (this.effort !== undefined && !this.#efforts.includes(this.effort)) this.effort = undefined;
    }
    return true;
  }

  /** For a turn: what is not chosen is left to Codex. An empty text would be refused. */
  get chosen(): Fields {
    return {
      ...(this.model === undefined ? {} : { model: this.model }),
      ...(this.effort === undefined ? {} : { effort: this.effort }),
    };
  }

  get #entry(): Fields {
    return this.#catalogue.find((entry) => entry.model === this.model) ?? {};
  }

  get #efforts(): string[] {
    return listIn(this.#entry, "supportedReasoningEfforts").map((effort) =>
      textOf(effort, "reasoningEffort"),
    );
  }

  get #defaultEffort(): string | undefined {
    return wordsOf(this.#entry, "defaultReasoningEffort");
  }
}
