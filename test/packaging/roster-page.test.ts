import { expect, it } from "vitest";
import { Page } from "./page.ts";
import { rosterKeys } from "./roster-keys.ts";

const page = new Page("docs/roster.md");
const keys = rosterKeys();

/** Where the page has the keys of which part of a roster. */
const TABLES: readonly { heading: string; path: string }[] = [
  { heading: "Top", path: "" },
  { heading: "`listen`", path: "listen." },
  { heading: "`listen.tls`", path: "listen.tls." },
  { heading: "`http`", path: "http." },
  { heading: "`slots.NAME`", path: "slots.NAME." },
  { heading: "`slots.NAME.tls`", path: "slots.NAME.tls." },
  { heading: "`slots.NAME.permission`", path: "slots.NAME.permission." },
  { heading: "`slots.NAME.mcp_servers[]`", path: "slots.NAME.mcp_servers[]." },
  { heading: "`slots.NAME.mcp_trust[]`", path: "slots.NAME.mcp_trust[]." },
  { heading: "`permission`", path: "permission." },
  { heading: "`slots.NAME.permission.rules[]`", path: "slots.NAME.permission.rules[]." },
  { heading: "`permission.rules[]`", path: "permission.rules[]." },
  { heading: "`queue`", path: "queue." },
  { heading: "`limits`", path: "limits." },
  { heading: "`log`", path: "log." },
];

/** `| key | default | meaning |`: a default that there is not is an empty cell. */
const ROW = /^\| `(\w+)` \| (?:`([^`]+)` )?\|/gm;

it("docs/roster.md has every key that can be written, with its default, and no other", () => {
  const written = TABLES.flatMap(({ heading, path }) =>
    [...page.section(heading).matchAll(ROW)].map(([, key, fallback = ""]) => `${path}${key} = ${fallback}`),
  );
  const built = keys.filter(({ isBuilt }) => isBuilt).map(({ path, fallback }) => `${path} = ${fallback}`);
  expect(written.toSorted()).toEqual(built.toSorted());
});

it("docs/roster.md has every key that is not built yet, and no other", () => {
  const rows = [...page.section("Not yet").matchAll(/^\| (.+) \| (`.+`) \|$/gm)];
  const written = rows.flatMap(([, where = "", names = ""]) => {
    const table = TABLES.find(({ heading }) => heading.toLowerCase() === where.toLowerCase());
    return names.split(", ").map((name) => `${table?.path}${name.replaceAll("`", "")}`);
  });
  const unbuilt = keys.filter(({ isBuilt }) => !isBuilt).map(({ path }) => path);
  expect(written.toSorted()).toEqual(unbuilt.toSorted());
});
