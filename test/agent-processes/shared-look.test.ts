import { describe, expect, it } from "vitest";
import type { ProcessTable } from "../../src/agents/process-table.ts";
import { SharedLook } from "../../src/agents/shared-look.ts";

function counted() {
  const looks = { list: 0, marked: 0 };
  const table: ProcessTable = {
    list: () => {
      looks.list += 1;
      return [];
    },
    marked: () => {
      looks.marked += 1;
      return new Map();
    },
    find: () => undefined,
    commandLine: () => [],
  };
  return { looks, table: new SharedLook(table) };
}

describe("a look at all processes", () => {
  it("serves all who look in one turn of the event loop, and nobody later", async () => {
    const { looks, table } = counted();
    for (const _ of Array(500)) {
      table.list();
      table.marked();
      await Promise.resolve();
    }
    expect(looks).toEqual({ list: 1, marked: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    table.list();
    table.marked();
    expect(looks).toEqual({ list: 2, marked: 2 });
  });

  it("that failed is tried again", () => {
    let looks = 0;
    const { table } = counted();
    const failing = new SharedLook({
      list: () => {
        looks += 1;
        throw new Error("too many open files");
      },
      marked: () => table.marked(),
      find: () => undefined,
      commandLine: () => [],
    });
    for (const _ of [1, 2]) expect(() => failing.list()).toThrow("too many open files");
    expect(looks).toBe(2);
  });
});
