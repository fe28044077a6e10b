#!/usr/bin/env node
// @ts-check
/**
 * An ACP agent for tests: a real process that speaks ACP on its stdin and stdout and does what it is told.
 * Its one argument says how it behaves (scripted-agent/ways.ts); the text of a prompt says what happens in
 * the turn (scripted-agent/script.ts). It takes nothing but Node, so that it starts in a moment.
 */
import { startGrandchild } from "./scripted-agent/grandchild.mjs";
import { Methods } from "./scripted-agent/methods.mjs";
import { Sessions } from "./scripted-agent/sessions.mjs";
import { Transcript } from "./scripted-agent/transcript.mjs";
import { Wire } from "./scripted-agent/wire.mjs";

/** An agent that ignores everything ends itself at last, should a test have lost it. */
const LIFETIME_MS = 180_000;

/** @type {import("./scripted-agent/ways.ts").Ways} */
const ways = JSON.parse(process.argv[2] ?? "{}");

if (ways.exitAtStart) {
  process.stderr.write(ways.exitAtStart.stderr ?? "");
  process.exit(ways.exitAtStart.code);
}

const transcript = new Transcript(ways.transcript);
const wire = new Wire(process.stdout, transcript);
const methods = new Methods(wire, new Sessions(ways), ways, transcript);

setTimeout(() => process.exit(97), LIFETIME_MS).unref();
process.stdout.on("error", () => {}); // The reader is gone; the end of stdin says so too.

for (const [signal, ignored] of /** @type {const} */ ([
  ["SIGINT", ways.ignoreSigint],
  ["SIGTERM", ways.ignoreSigterm],
])) {
  if (ignored) process.on(signal, () => transcript.note(signal));
}
if (ways.ignoreEof) setInterval(() => {}, LIFETIME_MS);

if (ways.grandchild) startGrandchild(ways.grandchild);
if (ways.stderrBytes) process.stderr.write("e".repeat(ways.stderrBytes));
for (const line of ways.stdoutNoise?.atStart ?? []) wire.writeLine(line);

wire.listen(process.stdin, {
  message: (message) => void methods.dispatch(message),
  ended: () => {
    transcript.note("end of stdin");
    if (!ways.ignoreEof) wire.endWith(() => process.exit(0));
  },
});
