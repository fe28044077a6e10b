import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canSeeProcesses } from "../agents/processes.ts";
import { DEMO, Household } from "./household.ts";

const slots = { scripted: { ways: {} } };

/** What a hall that was started for an editor wrote into its log, as it was said. */
const logOf = (roster: string): string => readFileSync(join(roster, "..", ".hall", "hall.log"), "utf8");

describe("a hall that hall acp starts", () => {
  it("runs on the roster in the config folder, and stays when the editor goes", async () => {
    const home = new Household();
    const roster = home.ownRoster(slots);
    const { acp, editor } = home.edit();
    const sessionId = await editor.begin();
    await editor.prompt(sessionId, "hello");
    editor.end();
    expect(await acp.finished).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(home.halls).toMatchObject([{ roster }]);
    const { editor: next } = home.edit("--no-start");
    await next.initialize();
    await next.load(sessionId);
    expect(next.texts(sessionId)).toBe("echo: hello");
  });

  it("runs on the roster of --config, else of $HALL_CONFIG", async () => {
    const home = new Household();
    home.ownRoster(slots);
    const [one, two] = ["one", "two"].map((name) =>
      home.roster(slots, { state: `./${name}` }, join(home.folder, `${name}.yml`)),
    );
    await home.edit("--config", `${one}`).editor.initialize();
    const acp = home.start(["acp", "--config", `${two}`], { HALL_CONFIG: one });
    await home.editorAt(acp).initialize();
    expect(home.halls.map(({ roster }) => roster).sort()).toEqual([one, two]);
  });

  it("is one hall, however many editors start at once", async () => {
    const home = new Household();
    const roster = home.ownRoster(slots);
    const editors = Array.from({ length: 4 }, () => home.edit().editor);
    await Promise.all(editors.map((editor) => editor.initialize()));
    const sessions = await Promise.all(editors.map((editor) => editor.newSession()));
    expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(4);
    expect(home.halls).toHaveLength(1);
    expect(logOf(roster).match(/"event":"hall.started"/g)).toHaveLength(1);
  });

  it("is started behind one that is just stopping", async () => {
    const home = new Household();
    const roster = home.ownRoster(slots);
    const old = await home.serve(roster, "--drain", "30s");
    const { editor } = home.edit();
    const sessionId = await editor.begin();
    const folder = join(home.folder, "gate");
    mkdirSync(folder);
    const turn = editor.prompt(sessionId, [
      { say: "running" },
      { sleepUntilFile: join(folder, "go") },
      { say: "drained" },
    ]);
    await editor.sees("running");
    old.signal("SIGTERM");
    await old.says("hall.stopping");
    const { editor: next } = home.edit();
    const introduced = next.initialize();
    await expect.poll(() => logOf(roster), { timeout: 15_000, interval: 10 }).toContain("runs on");
    writeFileSync(join(folder, "go"), "");
    expect((await turn).stopReason).toBe("end_turn");
    await introduced;
    await old.finished;
    expect(home.halls.map(({ pid }) => pid)).not.toContain(old.pid);
  });

  it("finds the hall that holds the state directory, though nobody announced it", async () => {
    const home = new Household();
    const roster = home.ownRoster(slots);
    const elsewhere = {
      HOME: join(home.folder, "elsewhere"),
      XDG_RUNTIME_DIR: join(home.folder, "elsewhere"),
    };
    mkdirSync(elsewhere.HOME, { mode: 0o700 });
    const hall = home.start(["serve", "--config", roster], elsewhere).read();
    await hall.says("The hall is open.");
    const { editor } = home.edit();
    await editor.initialize();
    expect(home.halls).toEqual([]);
  });

  it("ends an attempt that fails with what the hall said, and where its log is", async () => {
    const home = new Household();
    const roster = home.ownRoster(slots, { listen: { tcp: "127.0.0.1:0" } });
    const first = await home.serve(home.roster(slots, { listen: { tcp: "127.0.0.1:0" } }));
    const [hall] = home.halls;
    home.ownRoster(slots, { listen: { tcp: hall?.addresses.tcp ?? "" } });
    const { acp, editor } = home.edit("--config", roster);
    const log = join(roster, "..", ".hall", "hall.log");
    await expect(editor.initialize()).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining(`its log is ${log}`),
    });
    expect((await acp.finished).code).toBe(3);
    expect(acp.stderr).toContain(hall?.addresses.tcp);
    expect(first.child.exitCode).toBe(null);
  });

  it("keeps its log to itself, and the state directory", async () => {
    const home = new Household();
    const roster = home.ownRoster(slots);
    await home.edit().editor.initialize();
    const state = join(roster, "..", ".hall");
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(join(state, "hall.log")).mode & 0o777).toBe(0o600);
  });

  it.runIf(canSeeProcesses)(
    "is nobody's child, in a session of its own, with the base environment, without $HALL_…",
    async () => {
      const home = new Household();
      const roster = home.ownRoster(slots);
      const acp = home.start(["acp"], {
        HALL_CONFIG: roster,
        HALL_PROCESS: "abc.1",
        SECRET_OF_EDITOR: "x",
        LANG: "C",
      });
      await home.editorAt(acp).initialize();
      const [hall] = home.halls;
      const environ = readFileSync(`/proc/${hall?.pid}/environ`, "utf8").split("\0").filter(Boolean);
      const shellsOwn = ["PWD", "OLDPWD", "SHLVL", "_"];
      const names = environ.map((variable) => variable.split("=")[0] ?? "");
      expect(names.filter((name) => !shellsOwn.includes(name)).sort()).toEqual([
        "HOME",
        "LANG",
        "PATH",
        "XDG_CONFIG_HOME",
        // What marks the processes of this test run.
        "XDG_HALL_TEST",
        "XDG_RUNTIME_DIR",
      ]);
      expect(statOf(hall?.pid).session).not.toBe(statOf(acp.pid).session);
      expect(statOf(hall?.pid).parent).not.toBe(acp.pid);
    },
  );
});

describe("hall serve --exit-when-idle", () => {
  it("ends by itself when nobody came", async () => {
    const home = new Household();
    const hall = await home.serve(home.roster(DEMO), "--exit-when-idle", "50ms");
    expect((await hall.finished).code).toBe(0);
    expect(home.halls).toEqual([]);
  });

  it("is a duration, or an error that says so", async () => {
    const home = new Household();
    const { code, stderr } = await home.run([
      "serve",
      "--config",
      home.roster(DEMO),
      "--exit-when-idle",
      "soon",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("--exit-when-idle soon is no duration");
  });
});

/** Fields 4 and 6 of /proc/PID/stat (proc_pid_stat(5)). */
function statOf(pid: number | undefined): { parent: number; session: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const [, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(parent), session: Number(session) };
}
