import { expect, it } from "vitest";
import { checks } from "../../src/trial/checks/all.ts";
import { Page } from "../packaging/page.ts";

it("the page has each check, as it is", () => {
  const rows = checks.map(({ id, title, expected }) => `| \`${id}\` | ${title}: ${expected} |`);
  const [, , ...written] = new Page("docs/try.md").section("The checks").trim().split("\n");
  expect(written).toEqual(rows);
});
