import { join } from "node:path";
import { expect, it } from "vitest";
import { knownAgentsPage } from "./known-agents-page.ts";
import { ROOT } from "./page.ts";

it("docs/known-agents.md is what the list of known agents says", async () => {
  await expect(knownAgentsPage()).toMatchFileSnapshot(join(ROOT, "docs", "known-agents.md"));
});
