import { StreamTransport } from "./streams.ts";
import type { Transport } from "./transport.ts";

/** This process's own stdin and stdout: what an editor speaks to the program that it started. */
export const ownStdio = (): Transport => new StreamTransport(process.stdin, process.stdout);
