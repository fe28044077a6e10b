import { type Fields, isFields } from "../acp/checks.ts";
import type { Stage } from "./stage.ts";
import type { Transcript } from "./transcript.ts";

interface Entry {
  content: string;
  status: string;
}

const SIGNS: Record<string, string> = { completed: "✔", in_progress: "▸", pending: "○" };

/**
 * A plan as it progresses. It is sent whole each time. On a terminal it is shown whole, in its own place as long as
 * nothing came in between; elsewhere whole at first, and then by what changed.
 */
export class PlanBoard {
  readonly #stage: Stage;
  readonly #transcript: Transcript;
  #entries: readonly Entry[] = [];
  /** How much the transcript held when it had been shown. */
  #shownAt: number | undefined;

  constructor(stage: Stage, transcript: Transcript) {
    this.#stage = stage;
    this.#transcript = transcript;
  }

  show(update: Fields): void {
    const before = this.#entries;
    this.#entries = entriesOf(update.entries);
    if (!isSamePlan(before, this.#entries)) this.#draw(this.#entries);
    else if (!this.#stage.isTerminal)
      this.#draw(this.#entries.filter(({ status }, i) => status !== before[i]?.status));
    else {
      if (this.#shownAt === this.#transcript.written) this.#stage.takeBack(before.length);
      this.#draw(this.#entries);
    }
  }

  #draw(entries: readonly Entry[]): void {
    const room = this.#stage.columns - this.#transcript.margin;
    const lines = entries.map(({ content, status }) => clipped(`${SIGNS[status] ?? "?"} ${content}`, room));
    this.#transcript.lines("plan", lines);
    this.#shownAt = this.#transcript.written;
  }
}

const isSamePlan = (one: readonly Entry[], other: readonly Entry[]): boolean =>
  one.length === other.length && one.every(({ content }, index) => content === other[index]?.content);

/** A line that is drawn again must stay one line. */
const clipped = (line: string, columns: number): string => {
  const characters = [...line];
  return characters.length > columns ? `${characters.slice(0, columns - 1).join("")}…` : line;
};

const entriesOf = (entries: unknown): Entry[] =>
  (Array.isArray(entries) ? entries : [])
    .filter(isFields)
    .map(({ content, status }) => ({ content: String(content), status: String(status) }));
