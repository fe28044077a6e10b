import { onTestFinished } from "vitest";
import { connectSocket } from "../../src/wire/tcp.ts";
import type { Household } from "../cli/household.ts";
import type { Dice } from "../doubles/dice.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import { Person } from "./person.ts";

interface CrowdParts {
  home: Household;
  /** Where their hall is. */
  socket: string;
  dice: Dice;
  /** Prompts of one person that may be open. */
  prompts: number;
  /** Updates of the longest burst. */
  burst: number;
}

/** Two people who always want something of their hall. */
export class Crowd {
  readonly people: readonly Person[];
  readonly #parts: CrowdParts;
  #asked = 0;

  private constructor(parts: CrowdParts) {
    this.#parts = parts;
    const { home, socket } = parts;
    this.people = [1, 2].map(() => new Person(() => connectSocket({ path: socket }), home.work));
    onTestFinished(async () => {
      for (const person of this.people) await person.end();
    });
  }

  static async at(parts: CrowdParts): Promise<Crowd> {
    const crowd = new Crowd(parts);
    for (const person of crowd.people) await person.begin();
    return crowd;
  }

  /** How many prompts each has open. */
  get open(): number[] {
    return this.people.map(({ open }) => open);
  }

  /** Everyone has come back. */
  get isThere(): boolean {
    return this.people.every(({ isThere }) => isThere);
  }

  /** Everyone prompts until enough of it is open. */
  ask(): void {
    for (const person of this.people) {
      while (person.open < this.#parts.prompts) {
        const key = `k${this.#asked++}`;
        void person.prompt(key, this.#work(key));
      }
    }
  }

  /** A turn that says its key, and works for a moment. */
  #work(key: string): Step[] {
    const { burst, dice } = this.#parts;
    return [
      { say: `<${key}>` },
      { tool: { id: `t-${key}`, title: "work", kind: "other", status: "pending" } },
      { burst: { count: 1 + dice.below(burst), text: key } },
      { ask: { tool: { id: `q-${key}`, title: "ask" } } },
      { burst: { count: 1 + dice.below(200), text: key } },
    ];
  }
}
