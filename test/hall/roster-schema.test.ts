// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what a roster's variables look like.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { jsonSchema } from "../../src/hall/roster/json-schema.ts";
import { UNBUILT } from "../../src/hall/roster/unbuilt.ts";
import { parseRoster } from "../../src/hall/roster.ts";
import { SCHEMA_FILE, schemaText } from "../../src/hall/schema-file.ts";
import { faults } from "./rosters.ts";

const config = resolve(import.meta.dirname, "..", "..", "config");
const example = readFileSync(join(config, "hall.example.yml"), "utf8");

type Part = Readonly<Record<string, unknown>>;
const isPart = (value: unknown): value is Part =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const partsIn = (value: unknown): Part[] => (Array.isArray(value) ? value : [value]).filter(isPart);
const unbuilt = new Set(Object.values(UNBUILT).flatMap((keys) => Object.keys(keys)));

/** Every key that the schema knows and that is built: `slots.*.env`, … */
function keysOfSchema(part: Part, path = ""): string[] {
  const own = Object.entries(isPart(part.properties) ? part.properties : {})
    .filter(([key]) => !unbuilt.has(key))
    .flatMap(([key, inner]) => [
      `${path}.${key}`,
      ...partsIn(inner).flatMap((one) => keysOfSchema(one, `${path}.${key}`)),
    ]);
  const inner = [...partsIn(part.additionalProperties), ...partsIn(part.items)];
  return [
    ...own,
    ...inner.flatMap((one) => keysOfSchema(one, `${path}.*`)),
    ...[...partsIn(part.oneOf), ...partsIn(part.anyOf)].flatMap((one) => keysOfSchema(one, path)),
  ];
}

/** Every key of a roster, with `*` for the names of slots and the positions in lists. */
function keysOfValue(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysOfValue(item, `${path}.*`));
  if (!isPart(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = `${path}.${path === ".slots" ? "*" : key}`;
    return [place, ...keysOfValue(inner, place)];
  });
}

describe("config/hall.example.yml", () => {
  it("loads as it is, in any environment, every slot of it", () => {
    const roster = parseRoster(example, "/anywhere/hall.yml", {}, { knownAgents: ["claude-acp"] });
    expect(roster.slots.filter(({ unavailable }) => unavailable !== undefined)).toEqual([]);
    expect(roster.warnings).toEqual([]);
  });

  it("runs the demo agent, which needs nothing, unless a client asks for more", () => {
    expect(parseRoster(example, "/anywhere/hall.yml", {}).slots[0]?.run).toEqual({ kind: "demo" });
  });

  it("shows every key that works", () => {
    const shown = new Set(keysOfValue(parse(example)));
    const known = keysOfSchema(jsonSchema());
    expect(known.length).toBeGreaterThan(40);
    // One without its files would not start.
    const tls = [".listen.tls", ".listen.tls.cert", ".listen.tls.key", ".listen.tls.client_ca"];
    // Only one of it and `token` is taken.
    const commentedOut = [...tls, ".slots.*.token_file"];
    expect(example).toContain("# tls: { cert: ./cert.pem, key: ./key.pem, client_ca: ./ca.pem }");
    expect(example).toContain("# token_file: ./box.token");
    expect(known.filter((key) => !shown.has(key))).toEqual(commentedOut);
  });

  it("says of a default only what is so", () => {
    const least = parseRoster("slots: { demo: { demo: true } }", "/anywhere/hall.yml", {});
    const {
      slots,
      text: _text,
      log,
      secrets: _secrets,
      read: _read,
      ...rest
    } = parseRoster(example, "/anywhere/hall.yml", {});
    expect(least).toMatchObject(rest);
    expect(log.level).toBe(least.log.level);
    const [usual] = least.slots;
    expect(slots[1]).toMatchObject({
      cwd: usual?.cwd,
      concurrency: usual?.concurrency,
      idleTimeout: usual?.idleTimeout,
      onDisconnect: usual?.onDisconnect,
    });
  });
});

describe("config/hall.schema.json", () => {
  const validate = new Ajv({ strict: false }).compile(jsonSchema());

  it("is what the roster's schema says today (npm run schema writes it)", () => {
    expect(readFileSync(SCHEMA_FILE, "utf8")).toBe(schemaText());
  });

  it("takes the example", () => {
    expect(validate(parse(example)) || validate.errors).toBe(true);
  });

  it("has words for every key", () => {
    const wordless = Object.entries(jsonSchema().properties ?? {}).filter(
      ([, part]) => !isPart(part) || typeof part.description !== "string",
    );
    expect(wordless).toEqual([]);
  });

  it.each([
    "slots: { a: { command: [x, y] } }",
    "slots: { a: { demo: on, concurrency: '${N}', idle_timeout: never, fs: client, warm: 2, roots: [] } }",
    "slots: { a: { demo: yes, init_timeout: 0.5, permission: { timeout: 5m }, isolation: slot, turn_timeout: 5m, share: off } }",
    "{ slots: { björn: { agent: x } }, listen: { tcp: false, http: off }, limits: { line: 1MiB }, watch: no }",
    "{ slots: { a: { demo: true } }, listen: { tcp: '[::1]:0' }, http: { origins: [], hosts: [] }, cancel_grace: 0 }",
  ])("takes what the hall takes: %s", (text) => {
    expect(faults(text, { N: "3" })).toEqual([]);
    expect(validate(parse(text)) || validate.errors).toBe(true);
  });

  it.each([
    "{}",
    "slots: {}",
    "slots: { 'a b': { demo: true } }",
    "slots: { a: { command: x } }",
    "slots: { a: { command: [] } }",
    "slots: { a: { demo: maybe } }",
    "slots: { a: { demo: true, idle_timeout: soon } }",
    "slots: { a: { demo: true, init_timeout: never } }",
    "slots: { a: { demo: true, env: { A: 1 } } }",
    "slots: { a: { demo: true, warm: -1 } }",
    "slots: { a: { adapter: cursor } }",
    "slots: { a: { demo: true, mcp_servers: [{ name: x }] } }",
    "slots: { a: { demo: true, mcp_servers: [{ name: x, type: http, command: y }] } }",
    "{ slots: { a: { demo: true } }, listen: { tcp: true } }",
    "{ slots: { a: { demo: true } }, limits: { line: 32MB } }",
    "{ slots: { a: { demo: true } }, durability: disk }",
    "{ slots: { a: { demo: true } }, watch: often }",
  ])("refuses what the hall refuses: %s", (text) => {
    expect(faults(text)).not.toEqual([]);
    expect(validate(parse(text))).toBe(false);
  });
});
