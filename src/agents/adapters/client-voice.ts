import type { Fields } from "../../acp/checks.ts";
import { CANCEL_REQUEST, ClientMethod } from "../../acp/methods.ts";
import { UPDATE_ENDING, updateBeginning } from "../../acp/updates.ts";
import type { Id } from "../../wire/message.ts";
import type { Peer, Settle } from "../../wire/peer.ts";

/** How sessions speak to the client: updates are gathered, and go out in one write before anything else does. */
export class ClientVoice {
  readonly #peer: Peer;
  #gathered: string[] = [];

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  update(sessionId: string, update: Fields): void {
    this.#gathered.push(`${updateBeginning(sessionId)}${JSON.stringify(update)}${UPDATE_ENDING}\n`);
  }

  /** Sends what was gathered. To be called before an answer, and when what came in one read was dealt with. */
  flush(): void {
    if (this.#gathered.length === 0) return;
    const lines = Buffer.from(this.#gathered.join(""));
    this.#gathered = [];
    this.#peer.send(lines);
  }

  notify(method: string, params: Fields): void {
    this.flush();
    this.#peer.notify(method, params);
  }

  ask(params: Fields, settle: Settle): Id {
    this.flush();
    return this.#peer.request(ClientMethod.requestPermission, params, settle);
  }

  /** Takes a question back: what is answered to it is passed over. */
  withdraw(id: Id): void {
    this.notify(CANCEL_REQUEST, { requestId: id });
    this.#peer.forget(id);
  }
}
