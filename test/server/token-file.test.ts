import { chmodSync, chownSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newToken, type Token, tokenOf } from "../../src/server/token.ts";
import { changeTokens, readTokens } from "../../src/server/token-file.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const made = (name: string): { token: Token; secret: string } =>
  newToken({ name, scopes: ["prompt"], slots: ["one"] }, 0);

const fileIn = (folder = temporaryFolder()): string => join(folder, "tokens.yml");

describe("a token", () => {
  it("is found by its secret alone, among others, and never by what is kept of it", () => {
    const all = ["a", "b", "c"].map(made);
    const tokens = all.map(({ token }) => token);
    for (const { token, secret } of all) expect(tokenOf(secret, tokens)).toBe(token);
    for (const wrong of ["", "hall_", tokens[0]?.hash ?? "", tokens[0]?.id ?? "", `${all[0]?.secret} `])
      expect(tokenOf(wrong, tokens)).toBeUndefined();
    expect(new Set(all.map(({ secret }) => secret)).size).toBe(3);
  });
});

describe("the tokens file", () => {
  it("keeps what was written, for its user alone, and is nobody when it is not there", () => {
    const file = fileIn();
    expect(readTokens(file)).toEqual([]);
    const { token } = made("ann");
    changeTokens(file, () => [token, { ...made("ben").token, slots: undefined }]);
    expect(readTokens(file)).toMatchObject([token, { name: "ben", slots: undefined }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    changeTokens(file, (tokens) => tokens.slice(1));
    expect(readTokens(file)).toHaveLength(1);
  });

  it("is not used when another user owns it or may write it", () => {
    const file = fileIn();
    changeTokens(file, () => [made("ann").token]);
    chmodSync(file, 0o620);
    expect(() => readTokens(file)).toThrow("can be written by other users; take that away with chmod go-w");
    chmodSync(file, 0o644);
    expect(readTokens(file)).toHaveLength(1);
    if (process.getuid?.() !== 0) return;
    chownSync(file, 4242, 4242);
    expect(() => readTokens(file)).toThrow("is another user's");
  });

  it.each([
    ["tokens: 3", "has no list of tokens"],
    ["{", "is no YAML"],
    ["tokens: [ann]", "number 1"],
    ["tokens: [{ name: ann }]", "number 1"],
    ["tokens: [{ id: a, name: a, hash: a, created: a, scopes: [root] }]", "number 1"],
    ["tokens: [{ id: a, name: a, hash: a, created: a, scopes: [prompt], slots: all }]", "number 1"],
    ["tokens: [{ id: a, name: a, hash: a, created: a, scopes: [prompt], admin: true }]", "number 1"],
  ])("with something in it that is not understood gives nobody anything: %s", (text, why) => {
    const file = fileIn();
    writeFileSync(file, text, { mode: 0o600 });
    expect(() => readTokens(file)).toThrow(why);
  });

  it("stays as it was when a change fails, or another is under way", () => {
    const file = fileIn();
    changeTokens(file, () => [made("ann").token]);
    const before = readFileSync(file, "utf8");
    const failing = (): Token[] => {
      expect(() => changeTokens(file, () => [])).toThrow("is being changed by another");
      throw new Error("no");
    };
    expect(() => changeTokens(file, failing)).toThrow("no");
    expect(readFileSync(file, "utf8")).toBe(before);
    expect(existsSync(`${file}.new`)).toBe(false);
    expect(() => changeTokens("/nowhere/tokens.yml", () => [])).toThrow("has no folder; make /nowhere");
  });
});
