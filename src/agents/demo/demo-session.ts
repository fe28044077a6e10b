import type { Fields } from "../../acp/checks.ts";
import { invalidRequest } from "../../acp/errors.ts";
import { CANCEL_REQUEST, ClientMethod, UPDATE } from "../../acp/methods.ts";
import type { Cancel } from "../../ground/clock.ts";
import type { Peer, Settle } from "../../wire/peer.ts";
import type { Audience } from "./audience.ts";
import type { Mode } from "./modes.ts";
import type { Pace } from "./pace.ts";
import { PROGRAMME, sceneFor } from "./programme.ts";
import type { Prompt } from "./prompt.ts";
import { type StopReason, Turn } from "./turn.ts";

export interface DemoSessionParts {
  id: string;
  cwd: string;
  /** Nothing was said in it before. */
  isFresh: boolean;
  pace: Pace;
  peer: Peer;
}

/** One conversation with the demo agent. There is little to it: it remembers nothing of what was said. */
export class DemoSession implements Audience {
  readonly id: string;
  readonly #cwd: string;
  readonly #pace: Pace;
  readonly #peer: Peer;
  #isFresh: boolean;
  #mode: Mode = "ask";
  #turn: Turn | undefined;
  #over: Promise<void> = Promise.resolve();

  constructor({ id, cwd, isFresh, pace, peer }: DemoSessionParts) {
    this.id = id;
    this.#cwd = cwd;
    this.#isFresh = isFresh;
    this.#pace = pace;
    this.#peer = peer;
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** From the next question on, also in a turn that is under way. */
  enter(mode: Mode): void {
    this.#mode = mode;
    this.show({ sessionUpdate: "current_mode_update", currentModeId: mode });
  }

  /** Plays a turn. Throws -32600 while another is under way; rejects with what ended the scene. */
  prompt(prompt: Prompt): Promise<StopReason> {
    if (this.#turn) throw invalidRequest("A turn is under way in this session: wait for it, or cancel it.");
    const scene = sceneFor(prompt.text, this.#isFresh);
    this.#isFresh = false;
    const turn = new Turn({
      prompt,
      cwd: this.#cwd,
      pace: this.#pace,
      audience: this,
      mode: () => this.#mode,
    });
    this.#turn = turn;
    const played = turn.play(scene, PROGRAMME).finally(() => {
      this.#turn = undefined;
    });
    this.#over = played.then(nothing, nothing);
    return played;
  }

  /** Ends the turn that is under way, if one is. Resolves when it is over. */
  cancel(): Promise<void> {
    this.#turn?.cancel();
    return this.#over;
  }

  show(update: Fields): void {
    this.#peer.notify(UPDATE, { sessionId: this.id, update });
  }

  ask(question: Fields, answered: Settle): Cancel {
    const params = { sessionId: this.id, ...question };
    const requestId = this.#peer.request(ClientMethod.requestPermission, params, answered);
    return () => this.#peer.notify(CANCEL_REQUEST, { requestId });
  }
}

function nothing(): void {}
