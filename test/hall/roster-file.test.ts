import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trustFault } from "../../src/hall/roster/file.ts";
import { readRoster } from "../../src/hall/roster.ts";

const LEAST = "slots: { demo: { demo: true } }\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hall-roster-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function rosterFile(content: string | Buffer, mode = 0o600): string {
  const file = join(folder, "hall.yml");
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

describe("a roster's file", () => {
  it("is read, and what is relative in it means its folder", () => {
    const file = rosterFile(LEAST, 0o644);
    expect(readRoster(file, {})).toMatchObject({ file, folder, state: join(folder, ".hall"), text: LEAST });
  });

  it("may begin with a byte order mark and have lines that end as on Windows", () => {
    const file = rosterFile("\uFEFFslots:\r\n  demo:\r\n    demo: true\r\n    wrm: 1\r\n");
    expect(() => readRoster(file, {})).toThrow(
      `${file}:4:5: slots.demo.wrm: this key is not known; did you mean warm?`,
    );
  });

  it("may be a link, in whose folder the roster then is", () => {
    const file = rosterFile(LEAST);
    const link = join(mkdtempSync(join(folder, "other-")), "hall.yml");
    symlinkSync(file, link);
    expect(readRoster(link, {}).folder).toBe(join(link, ".."));
  });

  it("is refused when others may write it, with what to do about that", () => {
    for (const mode of [0o620, 0o602, 0o666]) {
      const file = rosterFile(LEAST, mode);
      expect(() => readRoster(file, {})).toThrow(
        `${file}: other users may write this file, and a roster runs programs; take that away with chmod go-w`,
      );
    }
  });

  it("is refused when it is not there, no file, no text, or too large for a roster", () => {
    const missing = join(folder, "none.yml");
    expect(() => readRoster(missing, {})).toThrow(`${missing}: there is no such file; hall init writes one`);
    expect(() => readRoster(folder, {})).toThrow(`${folder}: this is not a file; name the roster itself`);
    expect(() => readRoster(join(rosterFile(LEAST), "x"), {})).toThrow("the file cannot be opened (ENOTDIR)");
    expect(() => readRoster(rosterFile(`#${"x".repeat(2 ** 20)}`), {})).toThrow(
      "the file is larger than 1 MiB",
    );
    const bytes = Buffer.concat([Buffer.from("a: é\nb: "), Buffer.from([0xff]), Buffer.from("\n")]);
    expect(() => readRoster(rosterFile(bytes), {})).toThrow(
      ":2:1: the file is not text in UTF-8; save it as that",
    );
  });

  it("is not waited for when it is a pipe that nobody writes to", () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", ["-m", "600", pipe]);
    expect(() => readRoster(pipe, {})).toThrow(`${pipe}: this is not a file; name the roster itself`);
  });
});

describe("a file is trusted", () => {
  it("when it is this user's or root's and nobody else may write it", () => {
    expect(trustFault({ uid: 1000, mode: 0o100_600 }, 1000)).toBeUndefined();
    expect(trustFault({ uid: 1000, mode: 0o100_755 }, 1000)).toBeUndefined();
    expect(trustFault({ uid: 0, mode: 0o100_644 }, 1000)).toBeUndefined();
  });

  it("never when another user owns it, root's hall included", () => {
    expect(trustFault({ uid: 1001, mode: 0o100_600 }, 1000)).toContain("another user owns this file");
    expect(trustFault({ uid: 1000, mode: 0o100_600 }, 0)).toContain("another user owns this file");
  });

  it("never when its group or all may write it, whoever owns it", () => {
    expect(trustFault({ uid: 1000, mode: 0o100_664 }, 1000)).toContain("other users may write this file");
    expect(trustFault({ uid: 0, mode: 0o100_646 }, 1000)).toContain("other users may write this file");
  });

  it("where there are no users to tell apart", () => {
    expect(trustFault({ uid: 0, mode: 0o100_666 }, undefined)).toBeUndefined();
  });
});
