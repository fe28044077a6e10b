// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what a roster's variables look like.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRoster, type Roster, RosterError, rosterOf } from "../../src/hall/roster.ts";

/** What a roster is made of, and what breaks it. */
const PARTS = [
  ..."slots listen tcp a demo true off never command agent env args permission timeout warm 1a 30m 32MiB".split(
    " ",
  ),
  ..."mcp_servers name type http url - : : , [ ] { } ? | > & * ! % @ ` ' \" \\ # --- ... ~ << &a *a".split(
    " ",
  ),
  ...[
    "\n",
    "\n  ",
    "\n    ",
    "\n      - ",
    " ",
    "\t",
    "\0",
    "\uFEFF",
    "\uD800",
    "${",
    "${A}",
    "${A:-b}",
    "$${",
    "é",
    "0x1F",
    ".nan",
  ],
];

const garbage = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...PARTS), { maxLength: 60 }).map((parts) => parts.join("")),
  fc
    .array(fc.constantFrom(...PARTS), { maxLength: 60 })
    .map((parts) => `slots:\n  a:\n    demo: true\n    ${parts.join("")}`),
);

/** Values that stand where others should. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e30,
    "",
    "x",
    "on",
    "5s",
    "~/x",
    "a b",
    [],
    {},
    [null],
    [{}],
    { name: "x" },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
const KEYS =
  "agent command demo args env env_inherit cwd concurrency idle_timeout client_capabilities mcp_servers fs permission warm adapter".split(
    " ",
  );
const slot = fc.dictionary(fc.constantFrom(...KEYS), value);
const roster = fc.record({
  slots: fc.oneof(value, fc.dictionary(fc.constantFrom("a", "1b", "2", "c d", "0"), fc.oneof(value, slot))),
  listen: fc.oneof(value, fc.record({ tcp: value })),
  limits: value,
  permission: value,
  log: fc.dictionary(fc.constantFrom("level", "format"), value),
  state: value,
});

function rosterOr(faults: () => Roster): Roster | RosterError {
  try {
    return faults();
  } catch (error) {
    if (error instanceof RosterError) return error;
    throw error;
  }
}

function expectUsable(outcome: Roster | RosterError): void {
  if (outcome instanceof RosterError) {
    expect(outcome.faults.length).toBeGreaterThan(0);
    const isUsable = ({ line, column, message }: (typeof outcome.faults)[number]): boolean =>
      (line ?? 0) > 0 && (column ?? 0) > 0 && /\S; \S/.test(message) && !/undefined|\[object/.test(message);
    // One expectation for all: there may be hundreds.
    expect(outcome.faults.filter((fault) => !isUsable(fault))).toEqual([]);
  } else {
    expect(outcome.slots.length).toBeGreaterThan(0);
    for (const { name, concurrency, cwd } of outcome.slots) {
      expect(name).not.toBe("");
      expect(concurrency).toBeGreaterThan(0);
      expect(cwd.startsWith("/")).toBe(true);
    }
  }
}

const bare = { slots: {}, listen: {}, limits: {}, permission: {}, log: {}, state: undefined };

describe("whatever stands in the file", () => {
  it("it is a roster, or faults with a place and with what to do", () => {
    fc.assert(
      fc.property(garbage, (text) => {
        expectUsable(rosterOr(() => parseRoster(text, "/srv/hall.yml", { A: "value" })));
      }),
      { numRuns: 600 },
    );
  });

  it("so are values of any kind in any place", () => {
    fc.assert(
      fc.property(roster, (values) => {
        expectUsable(rosterOr(() => rosterOf(values, { folder: "/srv", knownAgents: ["claude-acp"] })));
      }),
      {
        numRuns: 300,
        examples: [
          [{ ...bare, listen: { tcp: { toString: null } } }],
          [{ ...bare, slots: { a: { demo: true, warm: { toString: null } } } }],
        ],
      },
    );
  });
});
