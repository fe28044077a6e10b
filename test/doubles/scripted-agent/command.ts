import { resolve } from "node:path";
import type { Ways } from "./ways.ts";

const PROGRAM = resolve(import.meta.dirname, "..", "scripted-agent.mjs");

/** The command line that starts a scripted agent with these ways: a roster's `command`. */
export const agentCommand = (ways: Ways = {}): [string, ...string[]] => [
  process.execPath,
  PROGRAM,
  JSON.stringify(ways),
];
