import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Files } from "../../src/workspace/files.ts";
import { Roots } from "../../src/workspace/roots.ts";
import { rejection, Sandbox } from "./sandbox.ts";

const MIB = 1024 ** 2;

describe("the files of a session", () => {
  let sandbox: Sandbox;
  let files: Files;
  beforeEach(() => {
    sandbox = new Sandbox();
    files = filesWithout();
  });
  afterEach(() => sandbox.remove());

  const filesWithout = (...forbidden: string[]): Files =>
    new Files(new Roots(sandbox.project, [sandbox.library], forbidden));
  const read = async (file: string, part: { line?: unknown; limit?: unknown } = {}): Promise<string> =>
    (await files.readTextFile({ sessionId: "s", path: file, ...part })).content;
  const write = (file: string, content: string) =>
    files.writeTextFile({ sessionId: "s", path: file, content });
  const inProject = (...names: string[]): string => path.join(sandbox.project, ...names);

  describe("are read", () => {
    it("whole, byte for byte as text", async () => {
      const text = "\ufeffone\r\ntwo\u2028still two\n\nlast, without an end ✓";
      expect(await read(sandbox.file("project/a.txt", text))).toBe(text);
      expect(await read(sandbox.file("project/empty.txt"))).toBe("");
    });

    it("from a line on, so many lines, each with its end", async () => {
      const file = sandbox.file("project/a.txt", "1\n2\r\n3\n4");
      expect(await read(file, { line: 2 })).toBe("2\r\n3\n4");
      expect(await read(file, { line: 2, limit: 2 })).toBe("2\r\n3\n");
      expect(await read(file, { limit: 1 })).toBe("1\n");
      expect(await read(file, { line: 4, limit: 9 })).toBe("4");
      expect(await read(file, { line: 5 })).toBe("");
      expect(await read(file, { limit: 0 })).toBe("");
      expect(await read(file, { line: null, limit: null })).toBe("1\n2\r\n3\n4");
    });

    it("in parts that make the whole, wherever the lines fall", async () => {
      const line = fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\n", "")),
        fc.constant("x".repeat(300_000)),
      );
      const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
      await fc.assert(
        fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (content, limit) => {
          const file = sandbox.file("project/parts.txt", content);
          let whole = "";
          for (let first = 1; first <= 13; first += limit) whole += await read(file, { line: first, limit });
          expect(whole).toBe(Buffer.from(content).toString());
        }),
        { numRuns: 40 },
      );
    });

    it("with U+FFFD for what is no UTF-8", async () => {
      const file = sandbox.file("project/a.bin");
      fs.writeFileSync(file, Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x9c]));
      expect(await read(file)).toBe("a\ufffdb\ufffd");
    });

    it("up to 16 MiB; more is refused with the advice to read a part, which then works", async () => {
      const line = `${"x".repeat(1023)}\n`;
      const fits = sandbox.file("project/fits.txt", line.repeat(16 * 1024));
      expect(await read(fits)).toHaveLength(16 * MIB);
      const large = sandbox.file("project/large.txt", line.repeat(16 * 1024 + 1));
      const { code, message, data } = await rejection(read(large));
      expect([code, data]).toEqual([-32602, { path: large, limit: 16 * MIB }]);
      expect(message).toContain('more than 16 MiB: ask for a part of it, with "line" and "limit"');
      expect(await read(large, { line: 16 * 1024 + 1 })).toBe(line);
      expect((await rejection(read(large, { line: 1, limit: 16 * 1024 + 1 }))).code).toBe(-32602);
    });

    it("not at all when the first line lies beyond 256 MiB: that would be a search without an end", async () => {
      const file = sandbox.file("project/sparse.log");
      fs.truncateSync(file, 257 * MIB);
      const { code, message } = await rejection(read(file, { line: 2 }));
      expect(code).toBe(-32602);
      expect(message).toContain("use a terminal");
    });

    it("in the order of the calls: a read sees the write before it", async () => {
      const file = inProject("a.txt");
      const answers = await Promise.all([
        write(file, "first"),
        read(file),
        write(file, "second"),
        read(file),
      ]);
      expect(answers).toEqual([{}, "first", {}, "second"]);
    });

    it("also after a call that failed", async () => {
      const file = sandbox.file("project/a.txt", "text");
      const [failed, text] = await Promise.allSettled([read(inProject("missing")), read(file)]);
      expect([failed.status, text]).toEqual(["rejected", { status: "fulfilled", value: "text" }]);
    });
  });

  describe("are written", () => {
    it("anew, with the folders on their way", async () => {
      const file = inProject("a", "b", "c.txt");
      expect(await write(file, "text ✓\n")).toEqual({});
      expect(fs.readFileSync(file, "utf8")).toBe("text ✓\n");
    });

    it("over what was there, mode kept, shorter or longer", async () => {
      const file = sandbox.file("project/run.sh", "a long old text");
      fs.chmodSync(file, 0o755);
      await write(file, "new");
      expect(fs.readFileSync(file, "utf8")).toBe("new");
      await write(file, "");
      expect(fs.readFileSync(file, "utf8")).toBe("");
      expect(fs.statSync(file).mode & 0o777).toBe(0o755);
    });

    it("where a link inside leads, the link kept", async () => {
      const file = sandbox.file("library/real.txt", "old");
      const link = sandbox.link("project/link.txt", file);
      await write(link, "new");
      expect(fs.readFileSync(file, "utf8")).toBe("new");
      expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
    });

    it("each wholly, when several are written at once", async () => {
      const file = inProject("a.txt");
      const texts = ["a", "bb", "ccc"].map((letter) => letter.repeat(1_000_000));
      await Promise.all(texts.map((text) => write(file, text)));
      expect(fs.readFileSync(file, "utf8")).toBe(texts[2]);
    });
  });

  describe("are refused", () => {
    const outcome = async (work: Promise<unknown>): Promise<[number, string]> => {
      const { code, message } = await rejection(work);
      return [code, message];
    };

    it("when they are not there", async () => {
      const missing = inProject("missing.txt");
      const error = await rejection(read(missing));
      expect([error.code, error.data]).toEqual([-32002, { path: missing }]);
      expect((await outcome(read(inProject("no", "folder", "a.txt"))))[0]).toBe(-32002);
    });

    it("when a part of the way is a file", async () => {
      const file = path.join(sandbox.file("project/a.txt"), "b.txt");
      for (const work of [read(file), write(file, "x")]) {
        expect(await outcome(work)).toEqual([
          -32602,
          expect.stringContaining("leads through something that is no folder"),
        ]);
      }
    });

    it("outside, and where links lead out, for reading and writing", async () => {
      const secret = sandbox.file("outside/secret.txt", "secret");
      const link = sandbox.link("project/link", secret);
      const folder = sandbox.link("project/folder", sandbox.outside);
      const dangling = sandbox.link("project/dangling", path.join(sandbox.outside, "new.txt"));
      for (const file of [
        secret,
        link,
        path.join(folder, "secret.txt"),
        path.join(folder, "new.txt"),
        dangling,
      ]) {
        for (const work of [read(file), write(file, "x")]) expect((await outcome(work))[0]).toBe(-32602);
      }
      expect(fs.readdirSync(sandbox.outside)).toEqual(["secret.txt"]);
      expect(fs.readFileSync(secret, "utf8")).toBe("secret");
    });

    it("when they are folders, pipes, sockets or devices, at once and without opening them", async () => {
      const pipe = inProject("pipe");
      execFileSync("mkfifo", [pipe]);
      for (const file of [sandbox.project, pipe]) {
        for (const work of [read(file), write(file, "x")]) {
          expect(await outcome(work)).toEqual([-32602, expect.stringContaining("names no regular file")]);
        }
      }
      const devices = new Files(new Roots("/dev", [], []));
      for (const path of ["/dev/null", "/dev/zero"]) {
        expect((await rejection(devices.readTextFile({ path }))).message).toContain("names no regular file");
      }
    });

    it("when they are the hall's own by a hard link", async () => {
      const roster = sandbox.file("outside/hall.yml", "slots: {}");
      const link = inProject("notes.yml");
      fs.linkSync(roster, link);
      files = filesWithout(roster);
      for (const work of [read(link), write(link, "x")]) {
        expect(await outcome(work)).toEqual([-32602, expect.stringContaining("belongs to the hall itself")]);
      }
      expect(fs.readFileSync(roster, "utf8")).toBe("slots: {}");
    });

    it.runIf(process.geteuid?.() !== 0)("when the hall's user may not, saying so", async () => {
      const file = sandbox.file("project/locked.txt", "x");
      fs.chmodSync(file, 0o000);
      expect(await outcome(read(file))).toEqual([-32603, expect.stringContaining("the hall's user may not")]);
    });

    it("when the call is not as ACP has it", async () => {
      const file = sandbox.file("project/a.txt", "x");
      const reads = [undefined, 7, {}, { path: 7 }, { path: "a.txt" }, { path: `${file}\0` }];
      for (const params of reads) expect((await outcome(files.readTextFile(params)))[0]).toBe(-32602);
      for (const line of [0, -1, 1.5, "1", true])
        expect((await outcome(read(file, { line })))[0]).toBe(-32602);
      for (const limit of [-1, 1.5, "1"]) expect((await outcome(read(file, { limit })))[0]).toBe(-32602);
      for (const content of [undefined, null, 7]) {
        expect((await outcome(files.writeTextFile({ path: file, content })))[0]).toBe(-32602);
      }
      expect(fs.readFileSync(file, "utf8")).toBe("x");
    });
  });

  it("stay inside while somebody keeps turning a folder into a link that leads out", async () => {
    const secret = "secret ".repeat(10);
    for (const name of ["a.txt", "sub/a.txt"]) sandbox.file(`outside/${name}`, secret);
    for (const name of ["a.txt", "sub/a.txt"]) sandbox.file(`project/turning/${name}`, "harmless");
    const turning = inProject("turning");
    // In a process of its own: nothing here orders its steps between ours.
    const program = `
      const fs = require("node:fs");
      const [place, outside] = process.argv.slice(1);
      const attempt = (work) => { try { work(); return true; } catch { return false; } };
      const turn = () => {
        fs.renameSync(place, place + ".away");
        fs.symlinkSync(outside, place);
        fs.unlinkSync(place);
        fs.renameSync(place + ".away", place);
      };
      // It fails when a write has made the folder anew while it was away.
      const restore = () => {
        fs.rmSync(place, { recursive: true, force: true });
        fs.renameSync(place + ".away", place);
      };
      for (;;) attempt(turn) || attempt(restore);`;
    const turner = spawn(process.execPath, ["-e", program, turning, sandbox.outside], { stdio: "ignore" });
    let seen = 0;
    try {
      for (let round = 0; round < 200; round++) {
        const name = round % 2 === 0 ? "a.txt" : "sub/a.txt";
        const text = await read(path.join(turning, name)).catch(() => undefined);
        expect(text).not.toBe(secret);
        if (text === "harmless") seen++;
        await write(path.join(turning, `new-${round}`, "b.txt"), "x").catch(() => {});
        await write(path.join(turning, name), "harmless").catch(() => {});
      }
    } finally {
      expect(turner.exitCode).toBeNull();
      const exit = once(turner, "exit");
      turner.kill("SIGKILL");
      await exit;
    }
    expect(seen).toBeGreaterThan(0);
    expect(fs.readdirSync(sandbox.outside).sort()).toEqual(["a.txt", "sub"]);
    expect(fs.readdirSync(path.join(sandbox.outside, "sub"))).toEqual(["a.txt"]);
    for (const name of ["a.txt", "sub/a.txt"]) {
      expect(fs.readFileSync(path.join(sandbox.outside, name), "utf8")).toBe(secret);
    }
  });
});
