import { defineConfig } from "vitest/config";
import { Report } from "./test/agents/report.ts";
import { isHookSelected, selectedAgents } from "./test/agents/selection.ts";

/** Real agents and clients, offline. The first run installs them; see test/agents/selection.ts for which. */
export default defineConfig({
  test: {
    include: [
      ...selectedAgents().map(({ name }) => `test/agents/${name}.test.ts`),
      "test/agents/clients.test.ts",
      ...(isHookSelected() ? ["test/agents/claude-hook.test.ts"] : []),
    ],
    globalSetup: "test/agents/setup.ts",
    reporters: ["default", new Report()],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
