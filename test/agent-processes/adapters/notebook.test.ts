import { join } from "node:path";
import { expect, it } from "vitest";
import { Notebook } from "../../../src/agents/adapters/notebook.ts";
import { realDisk } from "../../../src/ground/disk.ts";
import { temporaryFolder } from "../../doubles/temporary-folder.ts";

it("a notebook is read again by the next one, and a damaged one is an empty one", () => {
  const folder = temporaryFolder();
  new Notebook(realDisk, folder).remember("s", "native");
  new Notebook(realDisk, folder).remember("t", "other");
  const next = new Notebook(realDisk, folder);
  expect([next.recall("s"), next.recall("t"), next.recall("u")]).toEqual(["native", "other", undefined]);
  realDisk.replace(join(folder, "native-sessions.json"), "{");
  expect(new Notebook(realDisk, folder).recall("s")).toBeUndefined();
});
