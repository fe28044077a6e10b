/** Exit codes as a shell has them of programs that were ended so. */
export const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const NO_READER = 141;

/** What ends the show before its last act: Ctrl-C, a closed terminal, something that went wrong. */
export class EarlyEnd {
  /** Rejects once, with the first reason. */
  readonly happened: Promise<never>;
  #reject: (reason: Error) => void = () => {};

  constructor() {
    this.happened = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // It is raced against the show; a reason that comes after that is none any more.
    this.happened.catch(() => {});
  }

  because(reason: Error): void {
    this.#reject(reason);
  }

  interrupted(exitCode: number): void {
    this.because(new Interrupted(exitCode));
  }

  /** From now on signals end the show, not the process, and so does an output that nobody reads any more. */
  watch(process: NodeJS.Process): void {
    for (const [signal, exitCode] of Object.entries(SIGNALS))
      process.on(signal, () => this.interrupted(exitCode));
    process.stdout.on("error", () => this.interrupted(NO_READER));
  }
}

/** Somebody wanted it so. */
export class Interrupted extends Error {
  /** The exit code that a shell expects. */
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("Interrupted.");
    this.exitCode = exitCode;
  }
}
