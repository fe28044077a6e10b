// `npm run test:agents -- [--all | AGENT…]`: the small agents; all of them; or those named.
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values, positionals } = parseArgs({
  options: { all: { type: "boolean", default: false } },
  allowPositionals: true,
});
if (values.all) process.env.HALL_TEST_AGENTS = "all";
else if (positionals.length > 0) process.env.HALL_TEST_AGENTS = positionals.join(",");

await startVitest("test", [], { run: true, config: "vitest.agents.config.ts" });
