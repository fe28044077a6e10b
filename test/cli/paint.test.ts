import { describe, expect, it } from "vitest";
import { paint } from "../../src/cli/paint.ts";

const coloured = (stream: object, env: NodeJS.ProcessEnv): boolean => paint(stream, env).red("x") !== "x";

describe("colours", () => {
  it("are for terminals that know them, and can be switched off", () => {
    expect(coloured({ isTTY: true }, {})).toBe(true);
    expect(coloured({ isTTY: true }, { NO_COLOR: "" })).toBe(true);
    expect(coloured({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
    expect(coloured({ isTTY: true }, { TERM: "dumb" })).toBe(false);
    expect(coloured({ isTTY: false }, {})).toBe(false);
    expect(coloured({}, { FORCE_COLOR: "1" })).toBe(false);
  });
});
