import { type Fields, isFields } from "../../acp/checks.ts";
import type { Id } from "../../wire/message.ts";
import type { Reply } from "../../wire/peer.ts";
import type { Decision } from "./acp-message.ts";
import type { ClientVoice } from "./client-voice.ts";
import type { Permission, PermissionOption } from "./step.ts";

export interface OpenQuestionsParts {
  client: ClientVoice;
  sessionId(): string;
  decided(ask: string, decision: Decision): void;
}

/** The permission questions of one session that wait for an answer, by the name that the adapter gave them. */
export class OpenQuestions {
  readonly #parts: OpenQuestionsParts;
  readonly #open = new Map<string, Id>();
  /** The turn is being cancelled: nobody is asked any more. */
  cancelling = false;

  constructor(parts: OpenQuestionsParts) {
    this.#parts = parts;
  }

  ask(name: string, permission: Permission): void {
    const { client, decided, sessionId } = this.#parts;
    if (this.cancelling) {
      decided(name, "cancelled");
      return;
    }
    const params: Fields = { sessionId: sessionId(), ...permission };
    const id = client.ask(params, (reply) => {
      if (this.#open.get(name) !== id) return;
      this.#open.delete(name);
      decided(name, decisionOf(reply, permission.options));
    });
    this.#open.set(name, id);
  }

  /** The program wants no answer any more. */
  withdraw(name: string): void {
    const id = this.#open.get(name);
    if (id === undefined) return;
    this.#open.delete(name);
    this.#parts.client.withdraw(id);
  }

  /** Each is decided as cancelled, now. */
  cancelAll(): void {
    this.cancelling = true;
    for (const name of [...this.#open.keys()]) {
      this.withdraw(name);
      this.#parts.decided(name, "cancelled");
    }
  }

  /** The turn is over: what is still open belongs to nobody. */
  withdrawAll(): void {
    for (const name of [...this.#open.keys()]) this.withdraw(name);
  }
}

/** Only an option that was offered counts, exactly as it was offered. */
function decisionOf(reply: Reply, offered: readonly PermissionOption[]): Decision {
  if (!reply.ok || !isFields(reply.result) || !isFields(reply.result.outcome)) return "failed";
  const { outcome } = reply.result;
  if (outcome.outcome === "cancelled") return "cancelled";
  const option = offered.find(({ optionId }) => optionId === outcome.optionId);
  return outcome.outcome === "selected" && option ? { option: option.optionId, kind: option.kind } : "failed";
}
