import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeFile, NotClaimed } from "../../src/ground/file-change.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

describe("a file that is changed as a whole", () => {
  const fileWith = (text: string): string => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, text);
    return file;
  };

  it("is the old one until the new one is whole, and has the mode that was said", () => {
    const file = fileWith("old");
    chmodSync(file, 0o600);
    changeFile(file, { mode: 0o644 }, () => {
      expect(readFileSync(file, "utf8")).toBe("old");
      return "new";
    });
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it("is not changed by a second while a first is at it, who is not even asked for a text", () => {
    const file = fileWith("old");
    changeFile(file, { mode: 0o600 }, () => {
      const second = (): void => changeFile(file, { mode: 0o600 }, () => expect.unreachable());
      expect(second).toThrow(NotClaimed);
      return "first";
    });
    expect(readFileSync(file, "utf8")).toBe("first");
  });

  it("stays, and nothing is left beside it, when there is no text after all", () => {
    const file = fileWith("old");
    const change = (): void =>
      changeFile(file, { mode: 0o600 }, () => {
        throw new Error("no text");
      });
    expect(change).toThrow("no text");
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(existsSync(`${file}.new`)).toBe(false);
  });
});
