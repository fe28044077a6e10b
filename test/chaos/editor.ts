import { RpcError } from "../../src/acp/errors.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import type { Dice } from "../doubles/dice.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";

/** A turn that says its key, and does what turns do; now and then it waits for its cancel, or its agent crashes. */
const work = (key: string, dice: Dice): Step[] => [
  { say: `<${key}>` },
  { tool: { id: `t-${key}`, title: "work", kind: "other", status: "pending" } },
  { burst: { count: 1 + dice.below(2_000), text: key } },
  ...when(dice, 3, { ask: { tool: { id: `q-${key}`, title: "ask" } } }),
  ...when(dice, 3, { read: "/anything" }),
  { burst: { count: 1 + dice.below(100), text: key } },
  ...when(dice, 25, { exit: 3 }),
  ...when(dice, 12, { wait: "cancel" }),
];

const when = (dice: Dice, oneIn: number, step: Step): Step[] => (dice.below(oneIn) === 0 ? [step] : []);

/** An editor as there are many: it knows nothing of connections, asks, and answers what it is asked. */
export class Editor {
  /** What became of its prompts, by their keys: a stop reason, or the kind of an error. */
  readonly outcomes = new Map<string, string>();
  open = 0;
  readonly #client: AcpClient;

  constructor(client: AcpClient) {
    this.#client = client;
    client.answerWith(({ method }) => {
      if (method === "fs/read_text_file") return { content: "of the editor" };
      if (method === "session/request_permission")
        return { outcome: { outcome: "selected", optionId: "allow" } };
      return { error: { code: -32601, message: `"${method}" is not known here.` } };
    });
  }

  async begin(): Promise<void> {
    await this.#client.initialize({ clientCapabilities: { fs: { readTextFile: true } } });
  }

  async openIn(slot: string): Promise<string> {
    return (await this.#client.newSession({ _meta: { "hall/slot": slot } })).sessionId;
  }

  async load(sessionId: string): Promise<void> {
    await this.#client.load(sessionId);
  }

  prompt(sessionId: string, key: string, dice: Dice): void {
    this.open += 1;
    const settle = (outcome: string): void => {
      this.open -= 1;
      this.outcomes.set(key, outcome);
    };
    this.#client.prompt(sessionId, work(key, dice), { "hall/turn": key }).then(
      ({ stopReason }) => settle(stopReason),
      (error: unknown) => settle(kindOf(error)),
    );
    this.outcomes.set(key, "no answer");
  }

  cancel(sessionId: string): void {
    this.#client.cancel(sessionId);
  }

  /** Cancels what still waits for that; answers how many prompts have no answer. */
  settle(sessions: readonly string[]): number {
    if (this.open > 0) for (const sessionId of sessions) this.cancel(sessionId);
    return this.open;
  }

  /** The update lines of a session that it was shown. */
  held(sessionId: string): string[] {
    return linesOf(this.#client.updateBytes(sessionId));
  }

  /** Of a journal, what it is to be shown: all but its own words. */
  toHold(journal: Buffer): string[] {
    return linesOf(journal).filter((line) => {
      const turn = /"hall\/turn":"(k\d+)"\}\}\}?$/.exec(line)?.[1];
      return turn === undefined || !this.outcomes.has(turn);
    });
  }
}

const linesOf = (bytes: Buffer): string[] => bytes.toString().split("\n").filter(Boolean);

const kindOf = (error: unknown): string =>
  error instanceof RpcError ? String(Object(error.data).kind) : String(error);
