import { Flow } from "./flow.ts";
import type { Stage, Style } from "./stage.ts";

/** Who or what a block of the transcript belongs to. */
export type Voice = "you" | "agent" | "thought" | "plan" | "tool" | "asks" | "note" | "end";

/** Columns before the text. */
const MARGIN = 11;
/** Columns that details stand further in. */
const DETAIL = 2;

const LOOKS: Record<Voice, { label: Style; text: Style }> = {
  you: { label: ["bold", "green"], text: "bold" },
  agent: { label: ["bold", "blue"], text: "plain" },
  thought: { label: "dim", text: ["dim", "italic"] },
  plan: { label: "magenta", text: "plain" },
  tool: { label: "yellow", text: "plain" },
  asks: { label: ["bold", "yellow"], text: "bold" },
  note: { label: "cyan", text: "plain" },
  end: { label: "dim", text: "dim" },
};

/**
 * What is said and done, as a play is printed: in the margin who, behind it what. What one voice says in a row
 * is one block.
 */
export class Transcript {
  /** Everything is grey: it happened before. */
  isPast = false;
  readonly #stage: Stage;
  #speaking: { voice: Voice; flow: Flow } | undefined;
  #written = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Grows with all that is written: who remembers it can tell whether something came in between. */
  get written(): number {
    return this.#written;
  }

  get margin(): number {
    return MARGIN;
  }

  /** A piece of a text. */
  say(voice: Voice, text: string): void {
    if (this.#speaking?.voice !== voice) {
      this.pause();
      this.#label(voice);
      this.#speaking = { voice, flow: new Flow(this.#stage, MARGIN, this.#look(LOOKS[voice].text)) };
    }
    this.#speaking.flow.push(text);
    this.#written += 1;
  }

  /** Whole lines, as they are. */
  lines(voice: Voice, lines: readonly string[]): void {
    this.pause();
    for (const [index, line] of lines.entries()) {
      if (index === 0) this.#label(voice);
      else this.#stage.write(" ".repeat(MARGIN));
      this.#line(line, LOOKS[voice].text);
    }
  }

  /** Lines that belong to what stands above them. */
  details(lines: readonly string[]): void {
    this.pause();
    for (const line of lines) {
      this.#stage.write(" ".repeat(MARGIN + DETAIL));
      this.#line(line, "dim");
    }
  }

  /** Ends the text under way; what follows begins on a line of its own. */
  pause(): void {
    this.#speaking?.flow.end();
    this.#speaking = undefined;
  }

  #line(line: string, style: Style): void {
    this.#stage.write(`${this.#stage.styled(this.#look(style), line)}\n`);
    this.#written += 1;
  }

  #label(voice: Voice): void {
    const label = `  ${voice}`.padEnd(MARGIN);
    this.#stage.write(this.#stage.styled(this.#look(LOOKS[voice].label), label));
  }

  #look(style: Style): Style {
    return this.isPast ? "dim" : style;
  }
}
