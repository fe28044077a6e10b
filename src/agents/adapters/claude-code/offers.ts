import { type Fields, isFields } from "../../../acp/checks.ts";
import { listIn, textOf, wordsOf } from "../native-line.ts";
import { selectOption } from "../select-option.ts";
import type { SlashCommand } from "../updates.ts";

const MODES: readonly { id: string; name: string; description: string }[] = [
  { id: "default", name: "Ask", description: "Asks before it acts" },
  { id: "acceptEdits", name: "Accept edits", description: "Edits files without asking" },
  { id: "plan", name: "Plan", description: "Reads and plans, changes nothing" },
  { id: "auto", name: "Auto", description: "A model decides what is asked" },
  { id: "dontAsk", name: "Don't ask", description: "Refuses what it would ask" },
  { id: "bypassPermissions", name: "Bypass permissions", description: "Asks nothing" },
];

/** What a Claude Code process offers: modes, models, efforts, slash commands; and what is in force. */
export class Offers {
  mode = "default";
  model: string | undefined;
  effort: string | undefined;
  commands: SlashCommand[] = [];
  #models: readonly Fields[] = [];

  /** What it answered to its `initialize`. */
  take(answer: Fields): void {
    this.#models = listIn(answer, "models");
    this.mode = wordsOf(answer, "current_permission_mode") ?? this.mode;
    this.commands = commandsIn(answer.commands);
    this.model ??= this.#models.map((model) => textOf(model, "value"))[0];
  }

  /** Bypassing is offered only where it is in force: the program must have been started for it. */
  get modes(): Fields {
    const auto = this.#models.some((model) => model.supportsAutoMode === true);
    const availableModes = MODES.filter(({ id }) => {
      if (id === "bypassPermissions") return id === this.mode;
      return id !== "auto" || auto || this.mode === "auto";
    });
    return { currentModeId: this.mode, availableModes };
  }

  /** It takes any word for a mode, older versions without an error: only what is offered gets there. */
  hasMode(id: unknown): boolean {
    const { availableModes } = this.modes;
    return Array.isArray(availableModes) && availableModes.some((mode) => isFields(mode) && mode.id === id);
  }

  get options(): Fields[] {
    const models = this.#models.map((model) => ({
      value: textOf(model, "value"),
      name: wordsOf(model, "displayName") ?? textOf(model, "value"),
      ...(wordsOf(model, "description") === undefined ? {} : { description: textOf(model, "description") }),
    }));
    const model = selectOption("model", "Model", "model", this.model ?? "", models);
    const efforts = this.#efforts;
    const effort = selectOption("effort", "Effort", "thought_level", this.effort ?? "default", [
      { value: "default", name: "Default" },
      ...efforts.map((value) => ({ value, name: value })),
    ]);
    return [...(models.length > 0 ? [model] : []), ...(efforts.length > 0 ? [effort] : [])];
  }

  offers(configId: string, value: unknown): boolean {
    const option = this.options.find(({ id }) => id === configId);
    return option !== undefined && listIn(option, "options").some((choice) => choice.value === value);
  }

  get #efforts(): string[] {
    const model = this.#models.find(({ value }) => value === this.model) ?? {};
    const levels = model.supportedEffortLevels;
    return Array.isArray(levels) ? levels.filter((level): level is string => typeof level === "string") : [];
  }
}

/** Commands as they are told: by name, or with a description. */
export function commandsIn(list: unknown): SlashCommand[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((command: unknown): SlashCommand[] => {
    if (typeof command === "string") return [{ name: command, description: "" }];
    if (!isFields(command)) return [];
    const name = textOf(command, "name");
    return name === ""
      ? []
      : [{ name, description: textOf(command, "description"), hint: wordsOf(command, "argumentHint") }];
  });
}

/** MCP servers of ACP, as Claude Code writes them. */
export const claudeServers = (servers: readonly Fields[]): Fields =>
  Object.fromEntries(
    servers.map((server) => {
      const name = textOf(server, "name");
      if (typeof server.url === "string") {
        const headers = pairs(server, "headers");
        return [name, { type: wordsOf(server, "type") ?? "http", url: server.url, headers }];
      }
      return [
        name,
        { type: "stdio", command: server.command, args: server.args ?? [], env: pairs(server, "env") },
      ];
    }),
  );

const pairs = (server: Fields, name: string): Fields =>
  Object.fromEntries(listIn(server, name).map((pair) => [textOf(pair, "name"), textOf(pair, "value")]));
