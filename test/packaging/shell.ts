import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

/** Stands between the outputs of two commands; no program prints it. */
const END = "\u001e";

/** A shell, as somebody types into it: each command is given to it when the one before has done what it should. */
export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;
  #printed = "";
  #ring: () => void = () => {};

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#bash = spawn("bash", ["--norc", "--noprofile"], { cwd, env, stdio: "pipe" });
    this.#bash.stdin.on("error", () => {});
    for (const output of [this.#bash.stdout, this.#bash.stderr]) {
      output.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
        this.#ring();
      });
    }
  }

  /** What the command prints, on both of its outputs, once it is over and `isAll` is true of that. */
  async run(command: string, isAll: (printed: string) => boolean): Promise<string> {
    this.#printed = "";
    // One that is put into the background goes on printing: then it is over when it has printed all.
    const isBackground = command.endsWith("&");
    this.#bash.stdin.write(`{ ${command}\n} </dev/null 2>&1\nprintf '${END}'\n`);
    for (;;) {
      const printed = this.#printed.replace(END, "");
      const isOver = this.#printed.includes(END);
      if (isOver && (isAll(printed) || !isBackground)) return printed;
      await new Promise<void>((resolve) => {
        this.#ring = resolve;
      });
    }
  }

  close(): void {
    this.#bash.kill("SIGKILL");
  }
}
