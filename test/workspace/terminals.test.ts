import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemTable } from "../../src/agents/system-table.ts";
import { HandClock, systemClock } from "../../src/ground/clock.ts";
import { Roots } from "../../src/workspace/roots.ts";
import { Terminals, type TerminalsOptions } from "../../src/workspace/terminals.ts";
import { advanceUntil } from "./hands.ts";
import { rejection, Sandbox } from "./sandbox.ts";

const ENVIRONMENT = { PATH: process.env.PATH ?? "/usr/bin:/bin", LANG: "C", HALL_PROCESS: "abc.7" };

const processes = systemTable();
const living = (pids: readonly number[]): number[] =>
  processes.list().flatMap(({ pid }) => (pids.includes(pid) ? [pid] : []));

describe("the terminals of a session", () => {
  let sandbox: Sandbox;
  let all: Terminals[];
  let terminals: Terminals;
  beforeEach(() => {
    sandbox = new Sandbox();
    all = [];
    terminals = make();
  });
  afterEach(async () => {
    await Promise.all(all.map((some) => some.endAll()));
    sandbox.remove();
  });

  function make(options: Partial<TerminalsOptions> = {}): Terminals {
    const roots = new Roots(sandbox.project, [sandbox.library], [path.join(sandbox.project, ".hall")]);
    const made = new Terminals({
      roots,
      environment: ENVIRONMENT,
      clock: systemClock,
      processes,
      grace: 5_000,
      ...options,
    });
    all.push(made);
    return made;
  }

  /** A pipe that nobody writes to: who reads it waits. */
  function fifo(): string {
    const place = path.join(sandbox.home, "fifo");
    if (!fs.existsSync(place)) execFileSync("mkfifo", [place]);
    return place;
  }

  /** Runs a command to its end; answers what `terminal/output` then says, and its id. */
  async function run(command: string, params: object = {}) {
    const { terminalId } = await terminals.create({ sessionId: "s", command, ...params });
    await terminals.waitForExit({ terminalId });
    return { terminalId, ...terminals.output({ terminalId }) };
  }
  const sh = (line: string): object => ({ args: ["-c", line] });

  /** Waits until a terminal has printed a text; answers its output. */
  async function printed(terminalId: string, text: string, by = terminals): Promise<string> {
    await expect.poll(() => by.output({ terminalId }).output, { timeout: 20_000 }).toContain(text);
    return by.output({ terminalId }).output;
  }

  /** Starts a shell line that ends by printing numbers of processes; answers them with the terminal's id. */
  async function startWithPids(line: string, by = terminals) {
    const { terminalId } = await by.create({ command: "sh", ...sh(line) });
    const output = await printed(terminalId, "ready", by);
    return { terminalId, pids: (output.match(/\d+/g) ?? []).map(Number) };
  }

  describe("run a command", () => {
    it("with its arguments as they are, in the session's folder, without a stdin to wait for", async () => {
      const program =
        "process.stdout.write(JSON.stringify([process.cwd(), process.argv.slice(1)])); process.stdin.resume()";
      const args = ["-e", program, "a b", "$HOME", "*"];
      const { output, truncated, exitStatus } = await run(process.execPath, { args });
      expect(JSON.parse(output)).toEqual([sandbox.project, ["a b", "$HOME", "*"]]);
      expect([truncated, exitStatus]).toEqual([false, { exitCode: 0 }]);
    });

    it("in the agent's environment, with what it adds, and with the hall's mark whatever it says", async () => {
      const env = [
        { name: "LANG", value: "de_DE" },
        { name: "LINES", value: "one\ntwo" },
        { name: "HALL_PROCESS", value: "escaped" },
      ];
      const program = "process.stdout.write(JSON.stringify(process.env))";
      const { output } = await run(process.execPath, { args: ["-e", program], env });
      const seen: unknown = JSON.parse(output);
      expect(seen).toMatchObject({ ...ENVIRONMENT, LANG: "de_DE", LINES: "one\ntwo" });
      expect(process.env).toHaveProperty("VITEST");
      expect(seen).not.toHaveProperty("VITEST");
    });

    it("in another folder of the session", async () => {
      expect((await run("pwd", { cwd: sandbox.library })).output).toBe(`${sandbox.library}\n`);
    });

    it("and say how it ended: with a code, or by a signal", async () => {
      expect((await run("sh", sh("exit 3"))).exitStatus).toEqual({ exitCode: 3 });
      expect((await run("sh", sh("kill -KILL $$"))).exitStatus).toEqual({ signal: "SIGKILL" });
    });

    it("and answer at once, before it has ended", async () => {
      const { terminalId } = await terminals.create({ command: "cat", args: [fifo()] });
      expect(terminals.output({ terminalId })).toEqual({ output: "", truncated: false });
    });

    it("and have both its outputs, all of them, when it has ended", async () => {
      const { output } = await run("sh", sh("echo out; echo err >&2; yes line | head -n 20000; echo last"));
      expect(output).toContain("out\n");
      expect(output).toContain("err\n");
      expect(output.endsWith("line\nlast\n")).toBe(true);
      expect(output.length).toBe(8 + 5 * 20_000 + 5);
    });

    it("and keep the last mebibyte, or less when asked, from a whole character on", async () => {
      const much = await run("sh", sh("yes 123456789 | head -n 200000; printf ✓"));
      expect([much.truncated, Buffer.byteLength(much.output)]).toEqual([true, 1024 ** 2]);
      const little = await run("sh", { ...sh("printf 'ab✓✓'"), outputByteLimit: 4 });
      expect([little.truncated, little.output]).toEqual([true, "✓"]);
      const more = await run("sh", { ...sh("yes 123456789 | head -n 200000"), outputByteLimit: 1e9 });
      expect(more.output.length).toBe(1024 ** 2);
    });

    it("which has ended when it has, though what it left behind still has its output", async () => {
      const { terminalId } = await terminals.create({ command: "sh", ...sh("sleep 600 & echo started") });
      expect(await terminals.waitForExit({ terminalId })).toEqual({ exitCode: 0 });
      expect(terminals.output({ terminalId }).output).toBe("started\n");
    });

    it("which has ended when it has, though what it left behind goes on talking, and is still heard", async () => {
      const line = "(while :; do echo more; sleep 0.02; done) & exit 5";
      const { terminalId, output } = await run("sh", sh(line));
      expect(terminals.output({ terminalId }).exitStatus).toEqual({ exitCode: 5 });
      await expect
        .poll(() => terminals.output({ terminalId }).output.length, { timeout: 20_000 })
        .toBeGreaterThan(output.length);
    });
  });

  describe("take a whole command line for a command", () => {
    it.each([
      ["echo one two | tr a-z A-Z", "ONE TWO\n"],
      ["echo a && echo b", "a\nb\n"],
      ["X=1 printenv X", "1\n"],
      ["echo $LANG", "C\n"],
      ["printf 'a b'", "a b"],
    ])("as %j", async (command, output) => {
      expect((await run(command)).output).toBe(output);
      expect((await run(command, { args: [] })).output).toBe(output);
    });

    it("unless it names a program, on the PATH or by its path", async () => {
      const bin = sandbox.folder("project", "my bin");
      const program = path.join(bin, "my tool; exit 9");
      fs.writeFileSync(program, "#!/bin/sh\necho mine\n", { mode: 0o755 });
      expect((await run(program)).output).toBe("mine\n");
      expect((await run("./my bin/my tool; exit 9")).output).toBe("mine\n");
      terminals = make({ environment: { ...ENVIRONMENT, PATH: `${ENVIRONMENT.PATH}:${bin}` } });
      expect((await run("my tool; exit 9")).output).toBe("mine\n");
    });

    it("never when there are arguments", async () => {
      const error = await rejection(terminals.create({ command: "echo a", args: ["b"] }));
      expect(error.code).toBe(-32602);
      expect(error.message).toBe('There is no program "echo a" on the PATH that the hall\'s user may run.');
    });
  });

  describe("are waited for", () => {
    it("by many at once, and again when it is over", async () => {
      const { terminalId } = await terminals.create({ command: "sh", ...sh("exit 4") });
      const waits = [1, 2, 3].map(() => terminals.waitForExit({ terminalId }));
      expect(await Promise.all(waits)).toEqual(Array(3).fill({ exitCode: 4 }));
      expect(await terminals.waitForExit({ terminalId })).toEqual({ exitCode: 4 });
    });

    it("until the wait is cancelled, alone or with all others; the command runs on", async () => {
      const { terminalId } = await terminals.create({ command: "cat", args: [fifo()] });
      const asking = new AbortController();
      const [one, two, three] = [
        terminals.waitForExit({ terminalId }, asking.signal),
        terminals.waitForExit({ terminalId }),
        terminals.waitForExit({ terminalId }),
      ];
      asking.abort();
      expect((await rejection(one)).code).toBe(-32800);
      terminals.settleWaits();
      for (const wait of [two, three]) expect((await rejection(wait)).code).toBe(-32800);
      expect((await rejection(terminals.waitForExit({ terminalId }, AbortSignal.abort()))).code).toBe(-32800);

      const again = terminals.waitForExit({ terminalId });
      terminals.kill({ terminalId });
      expect(await again).toEqual({ signal: "SIGTERM" });
    });
  });

  describe("are killed", () => {
    it("with all that is in the group, and can still be asked for", async () => {
      const { terminalId, pids } = await startWithPids("sleep 600 & echo $$ $!; echo ready; wait");
      expect(terminals.kill({ terminalId })).toEqual({});
      expect(await terminals.waitForExit({ terminalId })).toEqual({ signal: "SIGTERM" });
      expect(terminals.output({ terminalId }).exitStatus).toEqual({ signal: "SIGTERM" });
      await expect.poll(() => living(pids), { timeout: 20_000 }).toEqual([]);
    });

    it("harder after the grace, when they do not go", async () => {
      const clock = new HandClock();
      const hand = make({ clock });
      const line = "trap '' TERM; echo $$ ready; while :; do sleep 1; done";
      const { terminalId, pids } = await startWithPids(line, hand);
      hand.kill({ terminalId });
      hand.kill({ terminalId });
      const exit = hand.waitForExit({ terminalId });
      for (let waited = 0; waited < 4_950; waited += 25) {
        clock.advance(25);
        await null;
      }
      expect(living(pids)).toEqual(pids);
      await advanceUntil(exit, clock);
      expect(await exit).toEqual({ signal: "SIGKILL" });
      await advanceUntil(hand.endAll(), clock);
    });

    it("without harm when they are over already", async () => {
      const { terminalId } = await run("true");
      expect(terminals.kill({ terminalId })).toEqual({});
      expect(terminals.output({ terminalId }).exitStatus).toEqual({ exitCode: 0 });
    });
  });

  describe("are released", () => {
    it("with what they printed last, for the record, and are then not known", async () => {
      const { terminalId } = await run("echo hello; exit 2");
      const last = { output: "hello\n", truncated: false, exitStatus: { exitCode: 2 } };
      expect(terminals.release({ terminalId })).toEqual({ terminalId, last });
      const calls = [
        async () => terminals.output({ terminalId }),
        () => terminals.waitForExit({ terminalId }),
        async () => terminals.kill({ terminalId }),
        async () => terminals.release({ terminalId }),
      ];
      for (const call of calls) {
        const { code, data } = await rejection(call());
        expect([code, data]).toEqual([-32002, { terminalId }]);
      }
    });

    it("which ends what still runs, the left-behind too, and answers open waits", async () => {
      const running = await startWithPids("sleep 600 & echo $$ $!; echo ready; wait");
      const wait = terminals.waitForExit({ terminalId: running.terminalId });
      expect(terminals.release({ terminalId: running.terminalId }).last.exitStatus).toBeUndefined();
      expect(await wait).toEqual({ signal: "SIGTERM" });
      await expect.poll(() => living(running.pids), { timeout: 20_000 }).toEqual([]);

      const over = await startWithPids("sleep 600 & echo $!; echo ready");
      await terminals.waitForExit({ terminalId: over.terminalId });
      expect(living(over.pids)).toEqual(over.pids);
      terminals.release({ terminalId: over.terminalId });
      await expect.poll(() => living(over.pids), { timeout: 20_000 }).toEqual([]);
    });
  });

  describe("are all ended", () => {
    it("with nothing left of them, also of those that are just being killed or released", async () => {
      const some = await Promise.all(
        [1, 2, 3].map(() => startWithPids("sleep 600 & echo $$ $!; echo ready; wait")),
      );
      const [first, second] = some;
      terminals.kill({ terminalId: first?.terminalId });
      terminals.release({ terminalId: second?.terminalId });
      const wait = terminals.waitForExit({ terminalId: some[2]?.terminalId });
      await terminals.endAll();
      const pids = some.flatMap((started) => started.pids);
      expect(pids).toHaveLength(6);
      expect(living(pids)).toEqual([]);
      expect(await wait).toEqual({ signal: "SIGTERM" });
    });

    it("for good: no other is started, not even one that was about to be", async () => {
      const starting = rejection(terminals.create({ command: "sleep", args: ["600"] }));
      await terminals.endAll();
      expect((await starting).code).toBe(-32600);
      expect((await rejection(terminals.create({ command: "true" }))).code).toBe(-32600);
    });
  });

  describe("are refused", () => {
    it("beyond 16, until one is released and gone", async () => {
      const params = { command: "cat", args: [fifo()] };
      const ids = await Promise.all(Array.from({ length: 16 }, () => terminals.create(params)));
      const { code, data } = await rejection(terminals.create(params));
      expect([code, data]).toEqual([-32000, { kind: "too_many_processes", limit: 16 }]);
      terminals.release(ids[0] ?? {});
      await expect
        .poll(() =>
          terminals.create(params).then(
            () => "there",
            () => "full",
          ),
        )
        .toBe("there");
      expect((await rejection(terminals.create(params))).code).toBe(-32000);
    });

    it("when there is no such program, no such folder, or one may not be used", async () => {
      const file = sandbox.file("project/notes.txt", "x");
      const script = sandbox.file("project/script", "#!/no/such/interpreter\n");
      fs.chmodSync(script, 0o755);
      const outcomes: [object, number, string][] = [
        [{ command: "no-such-program" }, -32602, 'There is no program "no-such-program" on the PATH'],
        [{ command: "./missing" }, -32602, "There is no program ./missing"],
        [{ command: script }, -32602, "or not the interpreter that its first line names"],
        [{ command: file, args: ["x"] }, -32602, "may not be executed"],
        [{ command: "true", cwd: path.join(sandbox.project, "missing") }, -32002, "missing"],
        [{ command: "true", cwd: file }, -32602, "is no folder"],
        [{ command: "true", cwd: sandbox.outside }, -32602, "leads outside the session's folders"],
        [{ command: "true", cwd: sandbox.folder("project", ".hall") }, -32602, "belongs to the hall itself"],
        [{ command: "true", args: ["x".repeat(4_000_000)] }, -32603, "could not be started"],
      ];
      for (const [params, code, message] of outcomes) {
        const error = await rejection(terminals.create(params));
        expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
      }
    });

    it("when the call is not as ACP has it, so that no other command runs instead", async () => {
      const wrong = [
        undefined,
        {},
        { command: 7 },
        { command: " " },
        { command: "true", args: "x" },
        { command: "true", args: [7] },
        { command: "true", env: { A: "b" } },
        { command: "true", env: [{ name: "A" }] },
        { command: "true", env: [{ name: "A=B", value: "x" }] },
        { command: "true", env: [{ name: "", value: "x" }] },
        { command: "true", cwd: "sub" },
        { command: "true", outputByteLimit: -1 },
        { command: "true", outputByteLimit: "9" },
        { command: "true\0" },
        { command: "true", args: ["\0"] },
        { command: "true", env: [{ name: "A", value: "\0" }] },
      ];
      for (const params of wrong) expect((await rejection(terminals.create(params))).code).toBe(-32602);
      const absent = { args: null, env: null, cwd: null, outputByteLimit: null };
      expect((await run("true", absent)).exitStatus).toEqual({ exitCode: 0 });
    });
  });
});
