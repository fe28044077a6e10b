import type { Paint } from "../paint.ts";
import { printable } from "../printable.ts";
import type { ChatSession, Wish } from "./chat-session.ts";
import { listSessions, type SessionChoice, sessionLines } from "./session-choices.ts";
import { chosen } from "./session-settings.ts";
import { settingLines } from "./setting-lines.ts";
import { slotLines, slotsIn } from "./slot-choices.ts";
import { helpLines, type OwnName } from "./typed-line.ts";

export interface OwnCommandsParts {
  /** Where new sessions work. */
  cwd: string;
  /** A person sits there, and can pick from a list. */
  isAttended: boolean;
  paint: Paint;
  /** Rejects as `ChatSession.open` does; then all is as before. */
  open(wish: Wish): Promise<void>;
  leave(): void;
  /** Whole lines, for people. */
  show(...lines: string[]): void;
}

/** A list that is shown, and what becomes of the number that is typed next. */
interface Pick {
  count: number;
  take(index: number): Promise<void>;
}

/** What a chat does itself, when it is told so with a slash. */
export class OwnCommands {
  readonly #parts: OwnCommandsParts;
  #pick: Pick | undefined;
  /** As they were listed last. */
  #listed: readonly SessionChoice[] = [];

  constructor(parts: OwnCommandsParts) {
    this.#parts = parts;
  }

  /** A list is shown, and a number of it is waited for. */
  get isPicking(): boolean {
    return this.#pick !== undefined;
  }

  /** Nothing is picked. */
  unpick(): void {
    this.#pick = undefined;
  }

  /** True: the text was a pick from the list that is shown, or that none is wanted. Rejects as its command does. */
  async picks(text: string): Promise<boolean> {
    const pick = this.#pick;
    this.#pick = undefined;
    if (!pick || !/^\s*\d*\s*$/.test(text)) return false;
    const number = Number(text);
    if (number >= 1 && number <= pick.count) await pick.take(number - 1);
    else if (number > 0) this.#note(`There is no ${text.trim()} in the list.`);
    return true;
  }

  /** Rejects with what the hall says against it. */
  async obey(name: OwnName, words: string, session: ChatSession): Promise<void> {
    const { cwd, open, leave, show, paint } = this.#parts;
    switch (name) {
      case "help":
        show(...helpLines(session.commands, paint));
        break;
      case "cancel":
        this.#cancel(words, session);
        break;
      case "new":
        await open({ slot: session.slot, cwd });
        break;
      case "slot":
        await this.#slot(words, session);
        break;
      case "sessions":
        await this.#sessions(words, session);
        break;
      case "mode":
        await this.#mode(words, session);
        break;
      case "quit":
        leave();
        break;
    }
  }

  #cancel(words: string, session: ChatSession): void {
    const { running } = session;
    if (words === "all" || !running) session.cancelAll();
    else session.cancel(running);
    if (!running) this.#note("None of your prompts runs; what others run here is asked to end.");
  }

  async #slot(wanted: string, { connection, slot: current }: ChatSession): Promise<void> {
    const { cwd, open, show, paint } = this.#parts;
    const into = (slot: string): Promise<void> => open({ slot, cwd });
    if (wanted !== "") return into(wanted);
    const slots = slotsIn(connection.introduction);
    show(...slotLines(slots, current, paint));
    this.#offer(
      slots.map(({ name }) => name),
      into,
    );
  }

  async #sessions(words: string, { connection, id: current }: ChatSession): Promise<void> {
    const { open, show, paint } = this.#parts;
    const into = (id: string): Promise<void> => open({ id });
    if (words !== "") return into(this.#listed[Number(words) - 1]?.id ?? words);
    this.#listed = await listSessions(connection);
    show(...sessionLines(this.#listed, current, paint));
    this.#offer(
      this.#listed.map(({ id }) => id),
      into,
    );
  }

  async #mode(words: string, session: ChatSession): Promise<void> {
    const { show, paint } = this.#parts;
    const { all } = session.settings;
    if (words === "") {
      show(...settingLines(all, paint));
      const spelled = all.flatMap(({ id, choices }) => choices.map(({ value }) => `${id} ${value}`));
      this.#offer(spelled, (choice) => this.#mode(choice, session));
      return;
    }
    const choice = chosen(all, words);
    if (typeof choice === "string") this.#note(choice);
    else await session.choose(...choice);
  }

  /** Where a person types, the number alone is enough. */
  #offer(names: readonly string[], take: (name: string) => Promise<void>): void {
    if (!this.#parts.isAttended || names.length === 0) return;
    this.#pick = { count: names.length, take: async (index) => take(names[index] ?? "") };
  }

  #note(text: string): void {
    this.#parts.show(this.#parts.paint.dim(printable(text)));
  }
}
