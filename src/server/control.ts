import type { Call } from "../acp/agent-side.ts";
import { HallMethod, isHallMethod } from "../acp/extensions.ts";
import type { Client } from "../hall/client.ts";
import { DeskControl } from "./desk-control.ts";
import type { Reload } from "./reload.ts";
import { SessionControl } from "./session-control.ts";
import { Status, type StatusParts } from "./status.ts";
import { WatchControl } from "./watch-control.ts";

export interface ControlParts extends StatusParts {
  stopAsked(): void;
  reload(): Pick<Reload, "asked" | "status">;
}

type Answer = (() => object | Promise<object>) | undefined;

/** The control methods: for clients with the scope `admin`, which is asked for before any method is looked up. */
export class Control {
  readonly #parts: ControlParts;
  readonly #status: Status;
  readonly #sessions: SessionControl;
  readonly #desk: DeskControl;
  readonly #watch: WatchControl;

  constructor(parts: ControlParts) {
    const { hall } = parts;
    this.#parts = parts;
    this.#status = new Status(parts);
    this.#sessions = new SessionControl(hall);
    this.#desk = new DeskControl(hall);
    this.#watch = new WatchControl(hall);
  }

  /** False: there is no such method. */
  take(call: Call, client: Client): boolean {
    if (!isHallMethod(call.method)) return false;
    const answer = this.#answerTo(call, client);
    if (!answer) return false;
    const answered = answer();
    if (answered instanceof Promise) answered.then((result) => call.reply(result), call.fail.bind(call));
    else call.reply(answered);
    return true;
  }

  #answerTo(call: Call, client: Client): Answer {
    switch (call.method) {
      case HallMethod.status:
        return () => this.#status.report();
      case HallMethod.slots:
        return () => ({ slots: this.#status.slots() });
      case HallMethod.reload:
        return () => this.#parts.reload().asked();
      case HallMethod.stop:
        return () => {
          this.#parts.stopAsked();
          return {};
        };
      default:
        return (
          this.#sessions.answerTo(call) ??
          this.#desk.answerTo(call, client) ??
          this.#watch.answerTo(call, client)
        );
    }
  }
}
