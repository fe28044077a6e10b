import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemClock } from "../../ground/clock.ts";
import { ownStdio } from "../../wire/stdio.ts";
import { DemoAgent } from "./demo-agent.ts";
import { readPace } from "./pace.ts";

/** `node main.js [--pace MS]`: the demo agent on stdin and stdout, until stdin ends. */
function main(): void {
  const { values } = parseArgs({ options: { pace: { type: "string" } } });
  const agent = new DemoAgent(ownStdio(), {
    pace: { clock: systemClock, step: readPace(values.pace) },
    version: packageVersion(),
    notice: (what) => process.stderr.write(`demo agent: ${what}\n`),
  });
  agent.start();
}

function packageVersion(): string {
  const file = new URL("../../../package.json", import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(file, "utf8"));
  return version;
}

try {
  main();
} catch (error) {
  process.stderr.write(`demo agent: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
