import type { Shell } from "./command-reader.ts";

/** The parser of shell scripts, read when it is first needed: most halls never look into a command. */
export class ShellParser {
  #shell: Shell | undefined;
  #loading: Promise<Shell> | undefined;

  /** Undefined until `load` has been waited for. */
  get loaded(): Shell | undefined {
    return this.#shell;
  }

  async load(): Promise<Shell> {
    this.#loading ??= import("unbash");
    this.#shell = await this.#loading;
    return this.#shell;
  }
}
