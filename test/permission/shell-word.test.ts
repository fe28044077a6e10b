// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the shell that they are for.
import { execFileSync } from "node:child_process";
import { constantFrom, sample, array as sequence } from "fast-check";
import { type Command, parse } from "unbash";
import { expect, it } from "vitest";
import { HOLE } from "../../src/permission/glob.ts";
import { wordText } from "../../src/permission/shell-word.ts";

/** Pieces of words as people, models and those who want to hide something write them. */
const piece = constantFrom(
  ...[
    "a",
    "rm",
    "-rf",
    "/",
    ".",
    "=",
    ",",
    ":",
    "\\r",
    "\\ ",
    "\\\\",
    "\\'",
    '\\"',
    "\\\n",
    "''",
    '""',
    "'r m'",
  ],
  ...[
    "'\\n'",
    '"a b"',
    '"\\$x"',
    '"\\`"',
    '"\\a"',
    '"\\\n"',
    "$'\\x72'",
    "$'\\n\\''",
    "$'\\u00e9'",
    '$"x"',
    "é",
    "~",
  ],
  ...["$UNSET", '"$UNSET"', "${UNSET}", "$(printf r)", "`printf r`", "%", "+", "@", "#", "^", "{", "}", "a~"],
);

const wordOf = (source: string): string => {
  const command = parse(`printf x ${source}`).commands[0]?.command as Command;
  const [, word] = command.args;
  return word?.type === "Word" ? wordText(word) : "";
};

it("a word is what bash makes of it, wherever it can be told", () => {
  const words = sample(
    sequence(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")),
    { numRuns: 1_500, seed: 7 },
  ).filter((word) => !word.replaceAll("\\\n", "").startsWith("#"));
  const script = words.map((word) => `printf '%s\\0' ${word}"" ; printf '\\1\\0'`).join("\n");
  const said = execFileSync("bash", ["-c", script], {
    env: { HOME: "/h", LC_ALL: "C.UTF-8", PATH: "/bin:/usr/bin" },
  })
    .toString()
    .split("\u0001\0")
    .map((one) => one.slice(0, -1));
  const told = words.map((word) => wordOf(`${word}""`));
  const wrong = words.flatMap((word, at) => {
    const pieces = (told[at] ?? "").split(HOLE).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${pieces.join("[^]*")}$`).test(said[at] ?? "") ? [] : [[word, told[at], said[at]]];
  });
  expect(wrong).toEqual([]);
  expect(told.filter((text) => !text.includes(HOLE)).length).toBeGreaterThan(300);
});
