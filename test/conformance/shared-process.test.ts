import { describe } from "vitest";

/** What a client sees is the same whether sessions have a process each or one together: what routes is tried again. */
describe("with one agent process for all sessions of a slot", async () => {
  process.env.HALL_TEST_ISOLATION = "slot";
  await import("./cancel.test.ts");
  await import("./permission.test.ts");
  await import("./client-calls.test.ts");
  await import("./relay.test.ts");
});
