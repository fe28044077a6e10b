import { parseArgs } from "node:util";
import { systemClock } from "../../ground/clock.ts";
import { messageOf } from "../../ground/thrown.ts";
import { version } from "../../ground/version.ts";
import { ownStdio } from "../../wire/stdio.ts";
import { DemoAgent } from "./demo-agent.ts";
import { readPace } from "./pace.ts";

/** `node main.js [--pace MS]`: the demo agent on stdin and stdout, until stdin ends. */
function main(): void {
  const { values } = parseArgs({ options: { pace: { type: "string" } } });
  const agent = new DemoAgent(ownStdio(), {
    pace: { clock: systemClock, step: readPace(values.pace) },
    version: version(),
    notice: (what) => process.stderr.write(`demo agent: ${what}\n`),
  });
  agent.start();
}

try {
  main();
} catch (error) {
  process.stderr.write(`demo agent: ${messageOf(error)}\n`);
  process.exitCode = 2;
}
