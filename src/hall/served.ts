import type { Fields } from "../acp/checks.ts";
import { errorBody } from "../acp/errors.ts";
import { ClientMethod } from "../acp/methods.ts";
import type { Clock } from "../ground/clock.ts";
import type { IncomingRequest } from "../wire/peer.ts";
import { Files } from "../workspace/files.ts";
import type { LivingProcesses } from "../workspace/process-group.ts";
import type { Roots } from "../workspace/roots.ts";
import { Terminals } from "../workspace/terminals.ts";

export interface ServedParts {
  clock: Clock;
  processes: LivingProcesses;
  /** Milliseconds between SIGTERM and SIGKILL for a terminal's command. */
  grace(): number;
  /** Where the session may read and write. */
  roots(): Roots;
  /** The environment of the agent process of now, its mark included. */
  environment(): Readonly<Record<string, string>>;
  /** An update of the hall's own, for all who look on. */
  tell(update: Fields): void;
}

/** Of a released terminal's output, the end that is recorded in its tool call. */
const TAIL_CHARACTERS = 32 * 1024;

/** What the hall itself serves of a session's files and terminals, to an agent whose client does not. */
export class Served {
  readonly #parts: ServedParts;
  #roots: Roots | undefined;
  #files: Files | undefined;
  #terminals: Terminals | undefined;
  /** The tool call that shows a terminal. */
  readonly #shownIn = new Map<string, string>();
  readonly #waits = new Map<IncomingRequest, AbortController>();

  constructor(parts: ServedParts) {
    this.#parts = parts;
  }

  file(request: IncomingRequest, params: Fields): void {
    answer(request, () => {
      this.#files ??= new Files(this.#place());
      const read = request.method === ClientMethod.readTextFile;
      return read ? this.#files.readTextFile(params) : this.#files.writeTextFile(params);
    });
  }

  terminal(request: IncomingRequest, params: Fields): void {
    answer(request, () => this.#terminal(request, params));
  }

  /** A tool call shows this terminal. */
  shows(terminalId: string, toolCallId: string): void {
    this.#shownIn.set(terminalId, toolCallId);
  }

  /** The agent takes a call back. True: it was one that waits here. */
  withdrawn(request: IncomingRequest): boolean {
    const wait = this.#waits.get(request);
    wait?.abort();
    return wait !== undefined;
  }

  /** Nobody waits for a command any more; the commands run on. */
  stopWaiting(): void {
    this.#terminals?.settleWaits();
  }

  /** The agent's process is over, and its terminals with it. The next process has its own. */
  endAll(): void {
    const terminals = this.#terminals;
    this.#terminals = undefined;
    this.#roots = undefined;
    this.#files = undefined;
    this.#shownIn.clear();
    void terminals?.endAll();
  }

  async #terminal(request: IncomingRequest, params: Fields): Promise<object> {
    const terminals = this.#terminalsOfNow();
    switch (request.method) {
      case ClientMethod.createTerminal:
        return terminals.create(params);
      case ClientMethod.terminalOutput:
        return terminals.output(params);
      case ClientMethod.waitForTerminal:
        return this.#wait(request, params, terminals);
      case ClientMethod.killTerminal:
        return terminals.kill(params);
      default:
        return this.#release(params, terminals);
    }
  }

  async #wait(request: IncomingRequest, params: Fields, terminals: Terminals): Promise<object> {
    const wait = new AbortController();
    this.#waits.set(request, wait);
    try {
      return await terminals.waitForExit(params, wait.signal);
    } finally {
      this.#waits.delete(request);
    }
  }

  /** Clients know nothing of a terminal of the hall's: its tool call is given the text instead. */
  #release(params: Fields, terminals: Terminals): object {
    const { terminalId, last } = terminals.release(params);
    const toolCallId = this.#shownIn.get(terminalId);
    this.#shownIn.delete(terminalId);
    if (toolCallId !== undefined && last.output !== "") {
      const text = last.output.slice(-TAIL_CHARACTERS);
      const content = [{ type: "content", content: { type: "text", text } }];
      this.#parts.tell({ sessionUpdate: "tool_call_update", toolCallId, content });
    }
    return {};
  }

  #place(): Roots {
    this.#roots ??= this.#parts.roots();
    return this.#roots;
  }

  #terminalsOfNow(): Terminals {
    const { clock, processes } = this.#parts;
    const grace = this.#parts.grace();
    const environment = this.#parts.environment();
    this.#terminals ??= new Terminals({ roots: this.#place(), environment, clock, processes, grace });
    return this.#terminals;
  }
}

/** The call is answered with what `work` gives, or with how it failed. */
function answer(request: IncomingRequest, work: () => Promise<object>): void {
  const failed = (error: unknown): void => request.fail(errorBody(error));
  try {
    work().then((result) => request.reply(result), failed);
  } catch (error) {
    failed(error);
  }
}
