import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { FAR_SHELL, type FarProgram, farLine } from "../../src/agents/far-line.ts";
import { eventually } from "../doubles/eventually.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

/** As ssh and its kind start it: a shell with three pipes, whose stdin outlives nobody. */
class Far {
  readonly child: ChildProcess;
  readonly exited: Promise<number | NodeJS.Signals | null>;
  out = "";
  err = "";

  constructor(program: Partial<FarProgram> & { args: readonly string[] }, behind = "") {
    const line = farLine({
      program: "sh",
      cwd: "/",
      env: {},
      mark: `HALL_PROCESS=far-test-${process.pid}.1`,
      grace: 1,
      ...program,
    });
    const child = spawn("sh", ["-c", FAR_SHELL], { stdio: ["pipe", "pipe", "pipe"] });
    this.child = child;
    this.exited = once(child, "close").then(([code, signal]) => code ?? signal);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.err += text;
    });
    child.stdin.on("error", () => {});
    child.stdin.write(line + behind);
    onTestFinished(() => void child.kill("SIGKILL"));
  }

  end(): void {
    this.child.stdin?.end();
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // Who is not reaped is there still, and does nothing any more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

describe("a program that is started by a line", () => {
  it("has its folder, its environment, its arguments and the rest of stdin as they were given", async () => {
    const folder = join(temporaryFolder(), "it's a\nfolder");
    mkdirSync(folder);
    const far = new Far(
      {
        cwd: folder,
        env: { VALUE: "a 'b' \"c\" $d `e` \\n é\n" },
        args: ["-c", SHOW, "zero", "o'ne", "tw\no\n"],
      },
      "behind it\n",
    );
    far.end();
    expect(await far.exited).toBe(7);
    expect(JSON.parse(far.out)).toEqual([
      folder,
      "a 'b' \"c\" $d `e` \\n é\n",
      "o'ne",
      "tw\no\n",
      "behind it\n",
    ]);
  });

  it("has every value as it was given, whatever it is", async () => {
    const value = fc.string({ unit: "binary", maxLength: 40 }).filter((text) => isUnicode(text));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 60, maxLength: 60 }), async (values) => {
        const env = Object.fromEntries(values.map((text, at) => [`VALUE_${at}`, text]));
        const show = "process.stdout.write(JSON.stringify([process.env, process.argv.slice(1)]))";
        const far = new Far({ program: process.execPath, env, args: ["-e", show, "--", ...values] });
        far.end();
        await far.exited;
        const [environment, args] = JSON.parse(far.out);
        expect(args).toEqual(values);
        expect(environment).toMatchObject(env);
      }),
      { numRuns: 3 },
    );
  });

  it("is not told to ignore a signal, and may be interrupted", async () => {
    const far = new Far({ args: ["-c", "grep SigIgn /proc/self/status"] });
    far.end();
    await far.exited;
    expect(far.out).toMatch(/^SigIgn:\t0+\n$/);
  });

  it("ends with its own exit code before its stdin does", async () => {
    expect(await new Far({ args: ["-c", "exit 3"] }).exited).toBe(3);
  });

  it("ends with what it left in a session of its own when its stdin ends, or what started it is killed, by SIGTERM and SIGKILL where it wants to stay", async () => {
    const [folder, otherFolder] = [temporaryFolder(), temporaryFolder()];
    const far = new Far({ cwd: folder, args: ["-c", STUBBORN] });
    const other = new Far({
      cwd: otherFolder,
      args: ["-c", STUBBORN],
      mark: `HALL_PROCESS=far-test-${process.pid}.11`,
    });
    const pids = await Promise.all([pidIn(join(folder, "pid")), pidIn(join(folder, "tool"))]);
    const others = await Promise.all([pidIn(join(otherFolder, "pid")), pidIn(join(otherFolder, "tool"))]);
    far.end();
    other.child.kill("SIGKILL");
    other.child.stdin?.destroy();
    expect(await far.exited).toBe(137);
    expect(pids.map(isRunning)).toEqual([false, false]);
    await eventually(() => others.map(isRunning)).toEqual([false, false]);
  });

  it("says what is missing there", async () => {
    const nowhere = new Far({ cwd: "/no/such/folder", args: [] });
    expect(await nowhere.exited).toBe(1);
    expect(nowhere.err).toBe("hall: the folder /no/such/folder is not there, or may not be entered\n");
    const nothing = new Far({ program: "no-such-program", args: [] });
    expect(await nothing.exited).toBe(127);
    expect(nothing.err).toContain("hall: there is no program no-such-program there; install it");
  });
});

const SHOW = `exec ${process.execPath} -e 'let rest = ""; process.stdin.on("data", (text) => { rest += text; }).on("end", () => { process.stdout.write(JSON.stringify([process.cwd(), process.env.VALUE, ...process.argv.slice(1), rest])); process.exitCode = 7; })' -- "$@"`;

/** Stays whatever comes, with a tool in a session of its own. */
const STUBBORN = `trap '' INT TERM HUP; setsid sleep 300 & echo $! > tool.new; mv tool.new tool; echo $$ > pid.new; mv pid.new pid; while :; do sleep 1; done`;

async function pidIn(file: string): Promise<number> {
  await eventually(() => existsSync(file)).toBe(true);
  return Number(readFileSync(file, "utf8"));
}

/** What a process can be given: no zero byte, and nothing that UTF-8 cannot say. */
const isUnicode = (text: string): boolean => !text.includes("\0") && Buffer.from(text).toString() === text;
