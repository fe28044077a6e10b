import { StringDecoder } from "node:string_decoder";
import { LineSplitter } from "../../wire/lines.ts";
import type { AgentProcess } from "../process.ts";
import type { ToolsSnapshot } from "../tools.ts";
import type { ChildExit } from "./adapter.ts";

export interface ChildListener {
  /** Its stdout, as the child is read: line by line, or as text. */
  line(text: string): void;
  text(text: string): void;
  /** All of one read was told. */
  readEnd(): void;
  /** A line is over the limit: nothing more is read. */
  tooLong(limit: number): void;
  /** It has ended, and all that it wrote was told. */
  exited(exit: ChildExit): void;
}

/** The program behind an adapter while it runs: lines to its stdin, its stdout as it likes to be read. */
export class Child {
  readonly process: AgentProcess;
  readonly #decoder = new StringDecoder("utf8");

  constructor(process: AgentProcess, reads: "lines" | "text", lineLimit: number, listener: ChildListener) {
    this.process = process;
    const lines = new LineSplitter(lineLimit, {
      line: (bytes) => listener.line(bytes.toString("utf8")),
      tooLong: (limit) => listener.tooLong(limit),
    });
    process.transport.start({
      chunk: (bytes) => {
        if (reads === "lines") lines.push(bytes);
        else listener.text(this.#decoder.write(bytes));
        listener.readEnd();
      },
      ended: () => {
        if (reads === "lines") lines.end();
        else listener.text(this.#decoder.end());
        listener.readEnd();
      },
      closed: () => {},
    });
    process.onExit((exit) => listener.exited({ ...exit, stderr: process.stderrTail() }));
  }

  write(text: string): void {
    this.process.transport.write(Buffer.from(text));
  }

  endInput(): void {
    this.process.transport.end();
  }

  toolsSnapshot(): ToolsSnapshot | undefined {
    return this.process.toolsSnapshot();
  }
}
