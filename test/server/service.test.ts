import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/ground/clock.ts";
import { type Disk, realDisk } from "../../src/ground/disk.ts";
import { rosterOf } from "../../src/hall/roster.ts";
import { Service } from "../../src/server/service.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

/** Starts a hall whose disk takes no new files. */
function startOn(code: string) {
  const folder = temporaryFolder();
  const disk: Disk = {
    ...realDisk,
    replace: () => {
      throw Object.assign(new Error(`${code}: the disk said no`), { code });
    },
  };
  const roster = rosterOf(
    { listen: { tcp: false }, state: "state", slots: { demo: { demo: true } } },
    { folder },
  );
  const log = { info: () => {}, warn: () => {}, debug: () => {} };
  const environment = { XDG_RUNTIME_DIR: folder };
  const parts = { roster, version: "1", clock: systemClock, disk, environment, log, stopAsked: () => {} };
  return { folder, started: Service.start(parts) };
}

describe("a hall that cannot write its state", () => {
  it.each([
    ["ENOSPC", "free space there"],
    ["EROFS", "`state` in the roster"],
  ])("does not start on %s, names the folder and says what to do", async (code, advice) => {
    const { folder, started } = startOn(code);
    await expect(started).rejects.toThrow(`${folder}/state`);
    await expect(started).rejects.toThrow(advice);
  });
});
