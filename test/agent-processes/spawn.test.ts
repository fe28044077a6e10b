import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RpcError } from "../../src/acp/errors.ts";
import { Ledger } from "../../src/agents/ledger.ts";
import { type AgentLaunch, spawnAgent } from "../../src/agents/spawn.ts";
import { realDisk } from "../../src/ground/disk.ts";
import { diskWriting } from "./failing-disk.ts";
import { exitOf, Workshop } from "./workshop.ts";

/** What a launch says that is not under test. */
const BENCH = { slot: "bench", program: "/bin/sh", env: {}, cwdFrom: "the roster" } as const;

describe("a spawn that cannot be", () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.close());

  function refused(launch: Partial<AgentLaunch> & { program: string }): RpcError {
    try {
      workshop.spawn(launch);
    } catch (error) {
      if (error instanceof RpcError) return error;
      throw error;
    }
    throw new Error("It was started.");
  }

  it("names the working folder that is missing, and who named it, not the program", () => {
    const error = refused({ program: "/bin/sh", cwd: join(workshop.folder, "gone"), cwdFrom: "the client" });
    expect(error.message).toBe(
      `The agent of slot "bench" cannot start. The working folder "${workshop.folder}/gone" (from the client) ` +
        "does not exist; create it, or name another.",
    );
    expect(error.body).toMatchObject({ code: -32000, data: { kind: "spawn_failed", slot: "bench" } });
  });

  it("names a working folder that is a file, or leads through one, or is relative", () => {
    const file = workshop.script("file", "");
    expect(refused({ program: "/bin/sh", cwd: file }).message).toContain("is not a folder");
    expect(refused({ program: "/bin/sh", cwd: join(file, "x") }).message).toContain(
      "leads through something",
    );
    expect(refused({ program: "/bin/sh", cwd: "here" }).message).toContain("is not an absolute path");
  });

  it("names the program that is missing, and the PATH that was searched, not the folder", () => {
    const env = { PATH: `/nowhere::relative:${workshop.folder}`, SECRET: "s3cret" };
    const { message } = refused({ program: "no-such-agent", env });
    expect(message).toContain(`There is no program "no-such-agent" on PATH (/nowhere:${workshop.folder})`);
    expect(message).not.toContain("working folder");
    expect(message).not.toContain("s3cret");
  });

  it("names a program that is missing where its path says, is a folder, empty, or relative", () => {
    expect(refused({ program: "/no/such" }).message).toContain('There is no program "/no/such" (ENOENT)');
    expect(refused({ program: workshop.folder }).message).toContain("is a folder");
    expect(refused({ program: "" }).message).toContain("The command is empty");
    expect(refused({ program: "./agent" }).message).toContain('"./agent" is a relative path');
  });

  it("names a program that is not executable, on PATH too", () => {
    writeFileSync(join(workshop.folder, "plain"), "#!/bin/sh\n", { mode: 0o644 });
    mkdirSync(join(workshop.folder, "folder"));
    const env = { PATH: workshop.folder };
    expect(refused({ program: join(workshop.folder, "plain") }).message).toContain("is not executable");
    expect(refused({ program: "plain", env }).message).toContain("is not executable");
    expect(refused({ program: "folder", env }).message).toContain("There is no program");
  });

  it("says that a script names no interpreter, or one that does not exist", () => {
    const bare = workshop.script("bare", "echo hello\n");
    const lost = workshop.script("lost", "#! /no/such/interpreter -x\necho hello\n");
    const windows = workshop.script("windows", "#!/bin/sh\r\necho hello\r\n");
    expect(refused({ program: bare }).message).toContain("has no first line that names its interpreter");
    expect(refused({ program: lost }).message).toContain('wants "/no/such/interpreter"');
    expect(refused({ program: windows }).message).toContain("ends its first line as Windows does");
  });

  it("never quotes the value in which a zero byte stands", () => {
    const argument = refused({ program: "/bin/sh", args: ["-c", "s3cret\0"] });
    const value = refused({ program: "/bin/sh", env: { PATH: "/bin", KEY: "s3cret\0" } });
    const name = refused({ program: "/bin/sh", env: { "A=B": "s3cret" } });
    expect(argument.message).toContain("Argument 2 contains a zero byte");
    expect(value.message).toContain('variable "KEY"');
    expect(name.message).toContain('variable "A=B"');
    for (const error of [argument, value, name]) expect(JSON.stringify(error.body)).not.toContain("s3cret");
  });

  it("is told by the system's refusal, and the log by its reason, when all seemed in order", async () => {
    const plain = workshop.script("plain", "");
    chmodSync(plain, 0o644);
    const script = workshop.script("script", `#!${plain}\n`);
    expect(refused({ program: script }).message).toContain("The system refused to start");
    await vi.waitFor(() => expect(workshop.troubles[0]).toContain("EACCES"));
  });

  it("is no entry in the ledger, when it was refused before or by the system", () => {
    refused({ program: "no-such-agent" });
    const huge = refused({ program: "/bin/sh", args: ["-c", ":", "x".repeat(8 * 1024 * 1024)] });
    expect(huge.message).toContain("E2BIG");
    workshop.ledger.close();
    const again = new Ledger(realDisk, join(workshop.folder, "state"), workshop.state);
    expect(again.orphans).toEqual([]);
    again.close();
  });

  it("is refused when the ledger cannot take its number: a child that nobody knew of would be left", () => {
    const state = join(workshop.folder, "state");
    const full = diskWriting(() => () => {
      throw new Error("ENOSPC: no space left on device");
    });
    const ledger = new Ledger(full, state, workshop.state);
    const launch = { ...BENCH, args: [], cwd: workshop.folder };
    expect(() => spawnAgent(launch, { ...workshop.parts(), ledger })).toThrow(/ENOSPC.*make room/);
  });

  it("ends the child again when the ledger can take its number but not the child", async () => {
    let writes = 0;
    const state = join(workshop.folder, "state");
    const filling = diskWriting((write) => (...args) => {
      if (++writes > 1) throw new Error("ENOSPC");
      return write(...args);
    });
    const ledger = new Ledger(filling, state, workshop.state);
    const launch = { ...BENCH, args: ["-c", "sleep 600"], cwd: workshop.folder };
    expect(() => spawnAgent(launch, { ...workshop.parts(), ledger })).toThrow(/ENOSPC/);
    await vi.waitFor(() => expect(workshop.troubles).toHaveLength(1));
    expect(workshop.table.marked(new Set([`${workshop.state}.1`]))).toEqual([]);
    ledger.close();
  });
});

describe("a spawn", () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.close());

  it("finds its program on the child's PATH, and starts it in the working folder", async () => {
    workshop.script("my-agent", "#!/bin/sh\npwd >&2\n");
    const agent = workshop.spawn({ program: "my-agent", env: { PATH: `${workshop.folder}:/bin` } });
    await exitOf(agent);
    expect(agent.stderrTail()).toEqual([workshop.folder]);
    await agent.stop();
  });

  it("checks the session's folder though the program starts in another", async () => {
    const gone = join(workshop.folder, "gone");
    expect(() => workshop.spawn({ program: "/bin/sh", cwd: gone, startIn: "/" })).toThrow(/does not exist/);
    const agent = workshop.spawn({ program: "/bin/sh", args: ["-c", "pwd >&2"], startIn: "/" });
    await exitOf(agent);
    expect(agent.stderrTail()).toEqual(["/"]);
    await agent.stop();
  });

  it("is written down before and after, with the process as the system knows it", async () => {
    const { agent } = workshop.shell("cat");
    const lines = workshop
      .ledgerText()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.slice(1)).toEqual([
      { n: 1, slot: "bench" },
      { n: 1, pid: agent.pid, startTime: workshop.table.find(agent.pid)?.startTime },
    ]);
    rmSync(join(workshop.folder, "state", "x"), { force: true });
    await agent.stop();
  });
});
