import {
  type Arbitrary,
  assert,
  boolean,
  constantFrom,
  double,
  integer,
  jsonValue,
  letrec,
  oneof,
  property,
  array as sequence,
  string,
  tuple,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { spanOf, splice } from "../../src/wire/splice.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON as someone may write it: blanks anywhere, any way to spell a string or a number, keys that come twice. */
const space = constantFrom("", "", " ", "\t", "\r", "\n", " \t ");

const unitsOf = (character: string): string =>
  character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const spelled = (words: string): Arbitrary<string> =>
  integer({ min: 0, max: 255 }).map((mask) => {
    const characters = [...words].map((character, index) =>
      (mask >> (index % 8)) & 1 ? unitsOf(character) : JSON.stringify(character).slice(1, -1),
    );
    return `"${characters.join("")}"`;
  });

const KEYS = ["id", "params", "sessionId", "a", "", 'q"\\', "ключ", "params.id"];
const key = constantFrom(...KEYS).chain(spelled);
const scalar = oneof(
  constantFrom("true", "false", "null", "-0", "0", "1e5", "1.50", "-1.5E-3", "12345678901234567890"),
  double({ noDefaultInfinity: true, noNaN: true }).map(String),
  constantFrom("", "plain", '{"id":1}', '\\"', "\\\\", "}],:", "😀", "\u2028\u0000").chain(spelled),
  string().chain(spelled),
);

const { json } = letrec<{ json: string; object: string; list: string }>((tie) => ({
  object: sequence(tuple(space, key, space, space, tie("json"), space), { maxLength: 5 }).chain((members) =>
    space.map((empty) => {
      const written = members.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`);
      return `{${written.length === 0 ? empty : written.join(",")}}`;
    }),
  ),
  list: sequence(tuple(space, tie("json"), space), { maxLength: 4 }).map(
    (items) => `[${items.map((item) => item.join("")).join(",")}]`,
  ),
  json: oneof({ depthSize: "small" }, scalar, tie("object"), tie("list")),
}));

const member = tuple(space, key, space, json, space).map(
  ([a, name, b, value, c]) => `${a}${name}:${b}${value}${c}`,
);
const line = tuple(sequence(member, { minLength: 1, maxLength: 8 }), space).map(
  ([members, before]) => `${before}{${members.join(",")}}`,
);
const path = sequence(constantFrom(...KEYS), { minLength: 1, maxLength: 3 });

/** The value at a path, as JSON.parse sees it. */
function at(value: unknown, keys: readonly string[]): { found: unknown } | undefined {
  const [first, ...rest] = keys;
  if (first === undefined) return { found: value };
  return isObject(value) && Object.hasOwn(value, first) ? at(value[first], rest) : undefined;
}

function set(value: unknown, keys: readonly string[], news: unknown): unknown {
  const [first, ...rest] = keys;
  if (first === undefined) return news;
  return isObject(value) ? { ...value, [first]: set(value[first], rest, news) } : value;
}

describe("a splice", () => {
  it("changes the value that JSON.parse sees at a path, and no other byte", () => {
    let hits = 0;
    assert(
      property(line, path, jsonValue(), (text, keys, news) => {
        const bytes = Buffer.from(text);
        const before: unknown = JSON.parse(text);
        const old = at(before, keys);
        const span = spanOf(bytes, keys);
        const spliced = splice(bytes, [{ path: keys, json: JSON.stringify(news) }]);
        if (!old) {
          expect(span).toBeUndefined();
          expect(spliced.equals(bytes)).toBe(true);
          return;
        }
        hits += 1;
        if (!span) throw new Error(`Nothing was found at ${keys.join(" > ")}.`);
        expect(JSON.parse(bytes.toString("utf8", span.start, span.end))).toEqual(old.found);
        const whole = [
          bytes.subarray(0, span.start),
          Buffer.from(JSON.stringify(news)),
          bytes.subarray(span.end),
        ];
        expect(spliced.equals(Buffer.concat(whole))).toBe(true);
        expect(JSON.parse(spliced.toString())).toEqual(set(before, keys, JSON.parse(JSON.stringify(news))));
      }),
      { numRuns: 1_000 },
    );
    expect(hits).toBeGreaterThan(50);
  });

  it("makes several changes at once, in whatever order they are named", () => {
    assert(
      property(json, json, integer(), boolean(), (a, b, id, turned) => {
        const text = `{"id":${a}, "params" : {"x":[1,{"id":2}],"sessionId":${b}},"method":"m"}`;
        const edits = [
          { path: ["id"], json: String(id) },
          { path: ["params", "sessionId"], json: '"changed"' },
        ];
        const spliced = splice(Buffer.from(text), turned ? edits.reverse() : edits);
        expect(spliced.toString()).toBe(
          `{"id":${id}, "params" : {"x":[1,{"id":2}],"sessionId":"changed"},"method":"m"}`,
        );
      }),
    );
  });

  it.each([
    ["of a key that comes twice, the last", '{"id":1,"id":2}', ["id"], '{"id":1,"id":0}'],
    [
      "of a parent that comes twice, the last",
      '{"p":{"id":1},"p":{"id":2}}',
      ["p", "id"],
      '{"p":{"id":1},"p":{"id":0}}',
    ],
    ["a key that is spelled with escapes", '{"\\u0069d":1}', ["id"], '{"\\u0069d":0}'],
    ["a key that only a later level has, not at all", '{"a":{"id":1}}', ["id"], '{"a":{"id":1}}'],
    ["what stands in a text, not at all", '{"a":"{\\"id\\":1}"}', ["id"], '{"a":"{\\"id\\":1}"}'],
    ["what a last parent has not, not at all", '{"p":{"id":1},"p":7}', ["p", "id"], '{"p":{"id":1},"p":7}'],
    ["behind text that ends in backslashes", '{"a":"\\\\\\\\","id":1}', ["id"], '{"a":"\\\\\\\\","id":0}'],
    [
      "the key __proto__ as any other",
      '{"__proto__":{"id":1}}',
      ["__proto__", "id"],
      '{"__proto__":{"id":0}}',
    ],
    ["in a list, not at all", '[{"id":1}]', ["id"], '[{"id":1}]'],
    ["a long number by its last digit", '{"id":12345678901234567890}', ["id"], '{"id":0}'],
  ])("changes %s", (_name, text, keys, changed) => {
    expect(splice(Buffer.from(text), [{ path: keys, json: "0" }]).toString()).toBe(changed);
  });

  it("leaves the line as it is when there is nothing to change", () => {
    assert(
      property(line, (text) => {
        expect(splice(Buffer.from(text), []).toString()).toBe(text);
      }),
    );
  });
});
