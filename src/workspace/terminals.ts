import fs from "node:fs/promises";
import { fieldsOf, requiredString } from "../acp/checks.ts";
import { Code, failure, invalidParams, invalidRequest, RpcError, requestCancelled } from "../acp/errors.ts";
import type { Clock } from "../ground/clock.ts";
import { asMeant } from "./command.ts";
import type { ExitStatus } from "./exit-status.ts";
import { fileError } from "./file-error.ts";
import type { LivingProcesses } from "./process-group.ts";
import type { Roots } from "./roots.ts";
import { startError } from "./start-error.ts";
import { Terminal, type TerminalOutput } from "./terminal.ts";
import { readTerminalRequest, type TerminalRequest } from "./terminal-request.ts";

export interface TerminalsOptions {
  readonly roots: Roots;
  /** The agent process's whole environment, the hall's mark included: what is started carries it on. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly processes: LivingProcesses;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace: number;
}

/** A terminal that was released: what may be recorded of it. */
export interface Released {
  readonly terminalId: string;
  readonly last: TerminalOutput;
}

/** Terminals of a session, those included that are just being ended. */
const AT_ONCE = 16;
/** Bytes of output that are kept of each, unless it asks for less. */
const OUTPUT_BYTES = 1024 ** 2;

/** ACP's `terminal/*` for one session and its agent process, on the hall's machine. All errors are RpcErrors. */
export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #terminals = new Map<string, Terminal>();
  readonly #ending = new Set<Terminal>();
  /** Aborted when nobody is interested any more in how commands end. */
  #waits = new AbortController();
  #starting = 0;
  #isClosed = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  /** `terminal/create`. Resolves when the command runs; rejects when it cannot be started. */
  async create(params: unknown): Promise<{ terminalId: string }> {
    const request = readTerminalRequest(params);
    this.#checkRoom();
    this.#starting++;
    try {
      const terminal = await this.#start(request);
      this.#terminals.set(terminal.id, terminal);
      if (this.#isClosed) {
        // Ended in the moment between: nothing may be left, this one neither.
        await this.endAll();
        throw closed();
      }
      return { terminalId: terminal.id };
    } finally {
      this.#starting--;
    }
  }

  /** `terminal/output`. */
  output(params: unknown): TerminalOutput {
    return this.#find(params).output;
  }

  /** `terminal/wait_for_exit`. Rejects as cancelled when `signal` or `settleWaits` says so; the command runs on. */
  async waitForExit(params: unknown, signal?: AbortSignal): Promise<ExitStatus> {
    const terminal = this.#find(params);
    const signals = [this.#waits.signal, ...(signal ? [signal] : [])];
    return Promise.race([terminal.exited, cancellation(AbortSignal.any(signals))]);
  }

  /** Answers every open wait as cancelled. */
  settleWaits(): void {
    this.#waits.abort();
    this.#waits = new AbortController();
  }

  /** `terminal/kill`: told to end, it may still print, and be asked for. */
  kill(params: unknown): Record<string, never> {
    void this.#end(this.#find(params));
    return {};
  }

  /** `terminal/release`: ends what still runs; the id is not known from here on. The agent is answered `{}`. */
  release(params: unknown): Released {
    const terminal = this.#find(params);
    this.#terminals.delete(terminal.id);
    if (!terminal.isGone) void this.#end(terminal);
    return { terminalId: terminal.id, last: terminal.output };
  }

  /** Ends all of them, for good. Resolves when nothing of them is left; waits are answered by how they ended. */
  async endAll(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#terminals.values(), ...this.#ending];
    this.#terminals.clear();
    await Promise.all(all.map((terminal) => this.#end(terminal)));
  }

  async #end(terminal: Terminal): Promise<void> {
    this.#ending.add(terminal);
    await terminal.end(this.#options.grace);
    this.#ending.delete(terminal);
  }

  async #start({ command, args, env, cwd, outputByteLimit }: TerminalRequest): Promise<Terminal> {
    const { roots, environment } = this.#options;
    const meant = await asMeant({
      program: command,
      args,
      cwd: await folder(roots, cwd ?? roots.cwd),
      environment: { ...environment, ...env, ...hallsOwn(environment) },
    });
    if (this.#isClosed) throw closed();
    try {
      return await Terminal.start(
        meant,
        Math.min(outputByteLimit ?? OUTPUT_BYTES, OUTPUT_BYTES),
        this.#options,
      );
    } catch (error) {
      throw startError(meant.program, error);
    }
  }

  #checkRoom(): void {
    if (this.#isClosed) throw closed();
    const here = new Set([...this.#terminals.values(), ...this.#ending]);
    if (here.size + this.#starting < AT_ONCE) return;
    throw failure("too_many_processes", `A session has ${AT_ONCE} terminals at most: release one first.`, {
      limit: AT_ONCE,
    });
  }

  #find(params: unknown): Terminal {
    const terminalId = requiredString(fieldsOf(params), "terminalId");
    const terminal = this.#terminals.get(terminalId);
    if (terminal) return terminal;
    throw new RpcError(Code.notFound, "There is no such terminal; it may have been released.", {
      terminalId,
    });
  }
}

const closed = (): RpcError =>
  invalidRequest("The terminals of this session were ended with its agent process.");

/** What the hall set for its own processes, the mark by which it finds them: no agent takes it off. */
const hallsOwn = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith("HALL_")));

/** Checked before the start: there, a missing folder looks as a missing program does. */
async function folder(roots: Roots, cwd: string): Promise<string> {
  const place = await roots.resolve(cwd);
  const found = await fs.stat(place).catch((error: unknown) => {
    throw fileError(cwd, error);
  });
  if (!found.isDirectory()) throw invalidParams(`The cwd ${cwd} is no folder.`, { path: cwd });
  return place;
}

function cancellation(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const cancel = (): void => reject(requestCancelled("The wait for this terminal"));
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
  });
}
