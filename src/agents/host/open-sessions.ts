import { type Fields, requiredString } from "../../acp/checks.ts";
import { invalidRequest, sessionNotFound } from "../../acp/errors.ts";
import type { HostedSession } from "./hosted-session.ts";

/** The sessions of a host that are open, each opened once. */
export class OpenSessions {
  readonly #sessions = new Map<string, HostedSession>();
  /** Ids of sessions that are being resumed or loaded. */
  readonly #opening = new Set<string>();

  /** @throws RpcError when it is not open, or not yet */
  of(params: Fields): HostedSession {
    const id = requiredString(params, "sessionId");
    const session = this.#sessions.get(id);
    if (session) return session;
    if (this.#opening.has(id)) throw invalidRequest("This session is being opened; wait for the answer.");
    throw sessionNotFound(id);
  }

  find(id: unknown): HostedSession | undefined {
    return this.#sessions.get(String(id));
  }

  all(): HostedSession[] {
    return [...this.#sessions.values()];
  }

  add(session: HostedSession): void {
    this.#sessions.set(session.id, session);
  }

  remove(session: HostedSession): void {
    this.#sessions.delete(session.id);
  }

  /**
   * Opens a session of before, which nobody else may do or prompt meanwhile.
   *
   * @throws RpcError when it is open already
   */
  async again(params: Fields, open: (id: string) => Promise<HostedSession>): Promise<Fields> {
    const id = requiredString(params, "sessionId");
    if (this.#sessions.has(id) || this.#opening.has(id))
      throw invalidRequest("This session is open already; close it first.");
    this.#opening.add(id);
    try {
      this.add(await open(id));
      return {};
    } finally {
      this.#opening.delete(id);
    }
  }
}
