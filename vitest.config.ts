import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/agents/**", "node_modules/**"],
    globalSetup: "test/leftovers/run-setup.ts",
    setupFiles: "test/leftovers/file-setup.ts",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    // Most tests here wait for processes of theirs: with a worker a core, and one more, no core idles.
    maxWorkers: availableParallelism() + 1,
  },
});
