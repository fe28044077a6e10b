import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realDisk } from "../../src/ground/disk.ts";
import { Epoch } from "../../src/hall/epoch.ts";

describe("an epoch", () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "hall-epoch-"));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const begin = (boot: string | undefined): Epoch => Epoch.begin(folder, realDisk, boot);

  it("begins with a short name, and nothing to doubt", () => {
    const epoch = begin("boot-1");
    expect(epoch.name).toMatch(/^[0-9a-f]{8}$/);
    expect(epoch.wasClean).toBe(true);
  });

  it("goes on after a clean stop, whatever the machine did meanwhile", () => {
    const first = begin("boot-1");
    first.endCleanly();
    const second = begin("boot-2");
    expect([second.name, second.wasClean]).toEqual([first.name, true]);
  });

  it("goes on when the hall was killed and the machine was not: the kernel had every byte", () => {
    const first = begin("boot-1");
    const second = begin("boot-1");
    expect([second.name, second.wasClean]).toEqual([first.name, false]);
  });

  it("is over when the machine stopped under the hall", () => {
    const first = begin("boot-1");
    const second = begin("boot-2");
    expect(second.wasClean).toBe(false);
    expect(second.name).not.toBe(first.name);
  });

  it("is over after an unclean stop when the boot is not known, then or now", () => {
    const first = begin(undefined);
    const second = begin("boot-1");
    const third = begin(undefined);
    const fourth = begin(undefined);
    expect(new Set([first, second, third, fourth].map(({ name }) => name)).size).toBe(4);
  });

  it("counts its clean stop once: the run that came after it was killed", () => {
    begin("boot-1").endCleanly();
    const second = begin("boot-1");
    const third = begin("boot-2");
    expect(third.wasClean).toBe(false);
    expect(third.name).not.toBe(second.name);
  });

  it("is over when its record is damaged, or gone from beside its sessions", () => {
    const first = begin("boot-1");
    first.endCleanly();
    fs.writeFileSync(path.join(folder, "epoch.json"), '{"epoch":');
    fs.mkdirSync(path.join(folder, "sessions"));
    const second = begin("boot-1");
    second.endCleanly();
    fs.rmSync(path.join(folder, "epoch.json"));
    const third = begin("boot-1");
    expect([second.wasClean, third.wasClean]).toEqual([false, false]);
    expect(new Set([first.name, second.name, third.name]).size).toBe(3);
  });
});
