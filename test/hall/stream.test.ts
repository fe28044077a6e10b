import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { realDisk } from "../../src/ground/disk.ts";
import { Journal } from "../../src/hall/journal.ts";
import { LineFile } from "../../src/hall/line-file.ts";
import { Stream } from "../../src/hall/stream.ts";
import { Desk } from "../../src/permission/desk.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const GIB = 2 ** 30;

it("a journal that comes past a gibibyte is told of, once for each", () => {
  const file = join(temporaryFolder(), "updates.jsonl");
  const fd = openSync(file, "w");
  // Nothing but a last newline: the rest of it takes no room on the disk.
  writeSync(fd, "\n", GIB - 101);
  closeSync(fd);
  const clock = new HandClock();
  const journal = new Journal(new LineFile(file, { disk: realDisk, clock, noticed: () => {} }));
  const told: number[] = [];
  const stream = new Stream({
    sessionId: "s",
    journal,
    desk: new Desk(clock),
    run: "this run",
    broke() {
      throw new Error("It should not.");
    },
    grown: (bytes) => told.push(bytes),
  });
  for (const length of [50, 60, 70]) {
    stream.gather(Buffer.alloc(length, "x"));
    stream.commit();
  }
  expect([told, stream.end]).toEqual([[GIB], GIB - 100 + 183]);
  journal.file.close();
});
