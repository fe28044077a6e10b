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
    // Vitest leaves one core for itself; most tests here wait for processes, so that core would idle.
    maxWorkers: Math.max(2, availableParallelism()),
  },
});
