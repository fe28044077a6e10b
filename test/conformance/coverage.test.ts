import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Requirements of ACP's Test Compatibility Kit (v1), and how many of each there are. */
const KIT: Record<string, number> = {
  TRANSPORT: 2,
  JSONRPC: 5,
  INIT: 4,
  SCHEMA: 2,
  SESSION: 2,
  PROMPT: 3,
  CANCEL: 2,
  LOAD: 3,
  RESUME: 2,
  LIST: 2,
  DELETE: 2,
  CLOSE: 2,
  ADDDIRS: 1,
  MODES: 2,
  CONFIG: 3,
  PROMPTCAP: 3,
  AUTH: 5,
  CLIENTCAP: 3,
  EXT: 1,
  META: 1,
  ERROR: 1,
  SHUTDOWN: 1,
  STDERR: 1,
  "INFO-PARSE": 1,
  "INFO-INVALIDREQ": 1,
  "INFO-UNKNOWNSESSION": 1,
};

/** About a process on stdio, which a hall is not: `hall acp` is, and has its own tests. */
const ELSEWHERE = ["ACP-SHUTDOWN-001", "ACP-STDERR-001"];

const CASES = 66;

const expected = [
  ...Array.from({ length: CASES }, (_, n) => `C${n + 1}`),
  ...Object.entries(KIT).flatMap(([area, count]) =>
    Array.from({ length: count }, (_, n) => `ACP-${area}-${String(n + 1).padStart(3, "0")}`),
  ),
];

/** Whose cases other systems have, and `test/seeds` looks after. */
const FOREIGN = /^(NG|K)-/;

/** The ids in the names of this folder's tests: what stands in brackets at the start of a string. */
const shown = new Set(
  readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => [
      ...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(/["`]\[((?:C\d|ACP-)[^\]]*)\]/g),
    ])
    .flatMap((match) => (match[1] ?? "").split(", "))
    .filter((id) => !FOREIGN.test(id)),
);

describe("the conformance suite", () => {
  it("has a test for every case of its list and every requirement of the kit", () => {
    expect(expected.filter((id) => !shown.has(id) && !ELSEWHERE.includes(id))).toEqual([]);
  });

  it("names no case that there is not", () => {
    expect([...shown].filter((id) => !expected.includes(id))).toEqual([]);
  });
});
