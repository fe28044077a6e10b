import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { knownAgentIds } from "../../src/agents/registry.ts";
import { parseRoster } from "../../src/hall/roster.ts";
import { allPages, Page, ROOT } from "./page.ts";

const pages = allPages();
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), "utf8");

const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => read("src", file));

const linksOf = (page: Page): string[] =>
  [...page.prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link));

function isThere(page: Page, link: string): boolean {
  const [place = "", anchor] = link.split("#");
  const file = place === "" ? page.file : join(dirname(page.file), place);
  if (!existsSync(file)) return false;
  return anchor === undefined || new Page(relative(ROOT, file)).anchors.includes(anchor);
}

it("every link leads to a page that is there, and to a heading that it has", () => {
  const broken = pages.flatMap((page) =>
    linksOf(page).flatMap((link) => (isThere(page, link) ? [] : [`${page.name}: ${link}`])),
  );
  expect(broken).toEqual([]);
});

it("every page can be found from the README", () => {
  const found = new Set(["README.md"]);
  // What is added while it runs is looked at too.
  for (const name of found) {
    if (!name.endsWith(".md") || !existsSync(join(ROOT, name))) continue;
    const page = new Page(name);
    for (const link of linksOf(page)) found.add(join(dirname(name), link.split("#")[0] ?? ""));
  }
  expect(pages.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

it("every roster in the pages passes the check, but for those that are wrong by name", () => {
  const rosters = pages.flatMap(({ blocks }) =>
    blocks
      .filter(({ language, text }) => language === "yaml" && text.includes("slots:"))
      .filter(({ text }) => !text.startsWith("# wrong.yml\n")),
  );
  const env = { CODEX_KEY: "some key" };
  const options = { knownAgents: knownAgentIds() };
  const warnings = rosters.flatMap(({ text }) => parseRoster(text, "/hall.yml", env, options).warnings);
  expect(warnings).toEqual([]);
  expect(rosters.length).toBeGreaterThan(9);
});

it("the page on troubleshooting has each kind of error that can occur, and no other", () => {
  const { text } = new Page("docs/troubleshooting.md");
  const documented = [...text.matchAll(/^### `(\w+)`$/gm)].map(([, kind = ""]) => kind);
  const [, list = ""] = /ERROR_KINDS = \[([^\]]+)\]/.exec(read("src", "acp", "errors.ts")) ?? [];
  const named = [...list.matchAll(/"(\w+)"/g)].map(([, kind = ""]) => kind);
  // Beside the list.
  const used = sources.map((source) => source.replace(list, ""));
  const occurring = named.filter((kind) => used.some((source) => source.includes(`"${kind}"`)));
  expect(documented.toSorted()).toEqual(occurring.toSorted());
});

it("the page on the protocol has each key that the hall knows in _meta", () => {
  const { text } = new Page("docs/protocol.md");
  const keys = sources.flatMap((source) => [...source.matchAll(/"(hall\/[a-z]+)"/g)]);
  const missing = keys.map(([, key = ""]) => key).filter((key) => !text.includes(`\`${key}\``));
  expect(new Set(missing)).toEqual(new Set());
  expect(keys.length).toBeGreaterThan(9);
});

it("the commands in the README's table are those that there are, and no page has another", () => {
  const commands = [...read("src", "cli", "main.ts").matchAll(/import\("\.\/(\w+)\.ts"\)/g)].map(
    ([, name = ""]) => name,
  );
  const table = new Page("README.md").section("Commands").matchAll(/^\| `hall (\w+)/gm);
  expect([...table].map(([, name = ""]) => name).toSorted()).toEqual(commands.toSorted());
  const mentioned = pages.flatMap((page) => {
    const now = page.prose.split("\n\n").filter((paragraph) => !/not yet/i.test(paragraph));
    const typed = page.blocks.filter(({ language }) => language === "sh" || language === "console");
    return [
      ...now.flatMap((paragraph) => [...paragraph.matchAll(/`hall ([a-z]+)/g)]),
      ...typed.flatMap(({ text }) => [...text.matchAll(/(?:^|[$(|] ?)hall ([a-z]+)/gm)]),
    ].map(([, command = ""]) => ({ page: page.name, command }));
  });
  expect(mentioned.filter(({ command }) => !commands.includes(command))).toEqual([]);
  expect(mentioned.length).toBeGreaterThan(50);
});
