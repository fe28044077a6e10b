import { type Fields, isFields } from "../../acp/checks.ts";
import { ClientMethod } from "../../acp/methods.ts";
import type { ClientLink } from "./client-link.ts";
import type { Terminal, TerminalExit, TerminalOutput } from "./turn.ts";

/** A command that the client runs. */
export class ClientTerminal implements Terminal {
  readonly id: string;
  readonly #link: ClientLink;
  readonly #signal: AbortSignal;

  constructor(id: string, link: ClientLink, signal: AbortSignal) {
    this.id = id;
    this.#link = link;
    this.#signal = signal;
  }

  async output(): Promise<TerminalOutput> {
    const { output, truncated, exitStatus } = await this.#ask(ClientMethod.terminalOutput);
    return {
      output: typeof output === "string" ? output : "",
      truncated: truncated === true,
      exit: isFields(exitStatus) ? exitOf(exitStatus) : undefined,
    };
  }

  async exited(): Promise<TerminalExit> {
    return exitOf(await this.#ask(ClientMethod.waitForTerminal));
  }

  async kill(): Promise<void> {
    await this.#ask(ClientMethod.killTerminal);
  }

  async release(): Promise<void> {
    // Also when the turn is being cancelled: that is when it matters.
    await this.#link.ask(ClientMethod.releaseTerminal, { terminalId: this.id }, new AbortController().signal);
  }

  #ask(method: string): Promise<Fields> {
    return this.#link.ask(method, { terminalId: this.id }, this.#signal);
  }
}

const exitOf = ({ exitCode, signal }: Fields): TerminalExit => ({
  exitCode: typeof exitCode === "number" ? exitCode : null,
  signal: typeof signal === "string" ? signal : null,
});
