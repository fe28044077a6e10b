import { paint } from "./paint.ts";

/** Tells a person how a session is gone on with; a program has it from `--json`, and a log needs no advice. */
export function goesOnWith(line: string): void {
  const { stderr } = process;
  if (stderr.isTTY) stderr.write(`\n${paint(stderr).dim(`It goes on with:  ${line}`)}\n`);
}
