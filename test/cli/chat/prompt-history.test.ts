import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PromptHistory, stateHome } from "../../../src/cli/chat/prompt-history.ts";
import { temporaryFolder } from "../../doubles/temporary-folder.ts";

function history() {
  const folder = join(temporaryFolder(), "state", "hall");
  return { folder, file: join(folder, "chat-history"), history: new PromptHistory(folder) };
}

describe("the history of what was typed", () => {
  it("is there in later chats, the newest first, each text once", () => {
    const { folder, history: kept } = history();
    for (const text of ["one", "two\nlines", "one"]) kept.add(text);
    expect(new PromptHistory(folder).read()).toEqual(["one", "two\nlines"]);
  });

  it("is for its user alone", () => {
    const { folder, file, history: kept } = history();
    kept.add("one");
    expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("has nothing that began with a space, and nothing that is empty", () => {
    const { file, history: kept } = history();
    kept.add(" secret");
    kept.add("  ");
    expect(existsSync(file)).toBe(false);
  });

  it("keeps what another chat wrote meanwhile", () => {
    const { folder, history: kept } = history();
    kept.add("one");
    new PromptHistory(folder).add("two");
    kept.add("three");
    expect(kept.read()).toEqual(["three", "two", "one"]);
  });

  it("is bounded in entries and in bytes, when the next chat begins", () => {
    const { file, history: kept } = history();
    kept.add("one");
    const many = Array.from({ length: 1_500 }, (_, at) => `${JSON.stringify(`entry ${at}`)}\n`);
    writeFileSync(file, many.join(""));
    kept.add("new");
    expect(kept.read()).toHaveLength(1_000);
    expect(kept.read().slice(0, 2)).toEqual(["new", "entry 1499"]);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(1_001);
    kept.add("x".repeat(300 * 1024));
    kept.add("y".repeat(300 * 1024));
    expect(kept.read()[0]).toMatch(/^y+$/);
    expect(readFileSync(file).length).toBeLessThan(512 * 1024);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("passes over what is no entry", () => {
    const { file, history: kept } = history();
    kept.add("one");
    writeFileSync(file, 'nonsense\n42\n"two"\n');
    expect(kept.read()).toEqual(["two"]);
  });

  it("lies in the state home", () => {
    expect(stateHome({ XDG_STATE_HOME: "/state", HOME: "/home/me" })).toBe("/state/hall");
    expect(stateHome({ XDG_STATE_HOME: "state", HOME: "/home/me" })).toBe("/home/me/.local/state/hall");
  });
});
