import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RpcError } from "../../src/acp/errors.ts";
import { gate } from "../doubles/gate.ts";
import { HALL, Household } from "./household.ts";

const slots = { first: { ways: {} }, second: { ways: {} } };

describe("hall acp", () => {
  it("is an agent on stdio, with the hall behind it", async () => {
    const home = new Household();
    const roster = home.roster(slots);
    await home.serve(roster);
    const { editor } = home.edit("--config", roster);
    const { agentInfo } = await editor.initialize();
    expect(agentInfo?.name).toBe("hall");
    const { sessionId } = await editor.newSession();
    const { stopReason } = await editor.prompt(sessionId, "hello");
    expect(stopReason).toBe("end_turn");
    expect(editor.texts(sessionId)).toBe("echo: hello");
  });

  it("finds the one hall that runs, and names the slot that it was told", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const { editor } = home.edit("--slot", "second", "--no-start");
    await editor.initialize();
    expect((await editor.newSession())._meta).toMatchObject({ "hall/slot": "second" });
  });

  it("shows the hall's own refusal of a slot that is not there", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const { editor } = home.edit("--slot", "third");
    await expect(editor.initialize()).rejects.toThrow(/no slot "third".*first, second/);
  });

  it("ends with the editor's last word, when every answer is out", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const { acp, editor } = home.edit();
    const sessionId = await editor.begin();
    const point = gate();
    const turn = editor.prompt(sessionId, [point.wait, { say: "done" }]);
    await point.reached();
    editor.end();
    point.open();
    expect((await turn).stopReason).toBe("end_turn");
    expect((await acp.finished).code).toBe(0);
    expect(acp.stderr).toBe("");
  });

  it("ends at once with an editor that asked nothing", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const { acp, editor } = home.edit();
    editor.end();
    expect((await acp.finished).code).toBe(0);
  });

  it("ends when its parent is killed and others hold its pipes, in the middle of a turn", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const parent = home.startProgram(process.execPath, [
      "--input-type=module",
      "--eval",
      `import { spawn } from "node:child_process"; spawn(process.execPath, process.argv.slice(1), { stdio: "inherit" });`,
      "--",
      HALL,
      "acp",
    ]);
    const editor = home.editorAt(parent);
    const sessionId = await editor.begin();
    const point = gate();
    const turn = editor.prompt(sessionId, [point.wait]);
    await point.reached();
    parent.signal("SIGKILL");
    // Its pipes are ours: they close when nobody else has them, so when the bridge is over.
    await parent.finished;
    await expect(turn).rejects.toThrow(/was not answered/);
    point.open();
  });

  it("comes back when the hall is killed in the middle of a turn and started again, and the session goes on", async () => {
    const home = new Household();
    const roster = home.roster(slots);
    const hall = await home.serve(roster);
    const { acp, editor } = home.edit();
    const sessionId = await editor.begin();
    const other = (await editor.newSession()).sessionId;
    const point = gate();
    const turn = editor.prompt(sessionId, [{ say: "so far" }, point.wait]);
    await point.reached();
    await editor.sees("so far");
    hall.signal("SIGKILL");
    await acp.says("trying to come back");
    // Asked while there is no hall: it is not sent anywhere yet.
    const meanwhile = editor.list();
    await home.serve(roster);
    await expect(turn).rejects.toMatchObject({ data: { kind: "interrupted" } });
    expect((await meanwhile).sessions.map((session) => session.sessionId)).toEqual([sessionId]);
    expect((await editor.prompt(sessionId, "again")).stopReason).toBe("end_turn");
    // Nothing was ever asked in this one: it is there all the same.
    expect((await editor.prompt(other, "first")).stopReason).toBe("end_turn");
    // Its new agent process is told what was said before.
    expect(editor.texts(sessionId)).toMatch(/^so farecho: .*again$/s);
    expect(editor.texts(other)).toBe("echo: first");
    expect(acp.stderr).toMatch(
      /^hall: The connection [^\n]*\n(hall: Not back yet[^\n]*\n)?hall: Back at the hall [^\n]*\n$/,
    );
  });

  it("starts its hall again when that crashed, and waits for it when somebody stopped it", async () => {
    const home = new Household();
    const roster = home.ownRoster(slots);
    const { acp, editor } = home.edit();
    const sessionId = await editor.begin();
    await editor.prompt(sessionId, "one");
    const [first] = home.halls;
    if (!first) throw new Error("No hall runs.");
    process.kill(first.pid, "SIGKILL");
    await acp.says("trying to come back");
    await editor.prompt(sessionId, "two");
    expect(editor.texts(sessionId)).toMatch(/^echo: oneecho: .*two$/s);
    const [second] = home.halls;
    if (!second) throw new Error("No hall runs.");
    expect(second.pid).not.toBe(first.pid);
    process.kill(second.pid, "SIGTERM");
    await acp.says("the hall was stopped");
    expect(home.halls).toEqual([]);
    await home.serve(roster);
    await editor.prompt(sessionId, "three");
    expect(editor.texts(sessionId)).toMatch(/three$/);
  });

  it("ends with its editor also while it tries to come back", async () => {
    const home = new Household();
    const hall = await home.serve(home.roster(slots));
    const { acp, editor } = home.edit();
    await editor.begin();
    hall.signal("SIGKILL");
    await acp.says("trying to come back");
    editor.end();
    expect((await acp.finished).code).toBe(0);
  });

  it("gives up when its time is over: what is open is answered with errors", async () => {
    const home = new Household();
    const hall = await home.serve(home.roster(slots));
    const { acp, editor } = home.edit("--reconnect", "500ms");
    const sessionId = await editor.begin();
    const point = gate();
    const turn = editor.prompt(sessionId, [point.wait]);
    await point.reached();
    hall.signal("SIGKILL");
    await expect(turn).rejects.toMatchObject({ code: -32603, message: expect.stringMatching(/lost/) });
    const { code, stderr } = await acp.finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(/Given up after/);
  });

  it("with --reconnect 0 answers what is open with errors and ends with 1 when the hall is killed", async () => {
    const home = new Household();
    const hall = await home.serve(home.roster(slots));
    const { acp, editor } = home.edit("--reconnect", "0");
    const sessionId = await editor.begin();
    const point = gate();
    const turn = editor.prompt(sessionId, [{ say: "so far" }, point.wait]);
    await point.reached();
    await editor.sees("so far");
    hall.signal("SIGKILL");
    await expect(turn).rejects.toMatchObject({ code: -32603, message: expect.stringMatching(/lost/) });
    const { code, stderr } = await acp.finished;
    expect(code).toBe(1);
    expect(stderr).toBe(
      "hall: The connection to the hall was lost, and --reconnect says not to try again.\n",
    );
  });

  it("answers with the reason and ends with 3 when no hall runs and it may start none", async () => {
    const home = new Household();
    home.ownRoster(slots);
    const { acp, editor } = home.edit("--no-start");
    await expect(editor.initialize()).rejects.toMatchObject({
      code: -32603,
      message: "No hall of yours runs, and --no-start says to start none; run hall serve.",
    });
    const { code, stderr } = await acp.finished;
    expect(code).toBe(3);
    expect(stderr).toContain("--no-start");
    expect(home.halls).toEqual([]);
  });

  it("answers every request that is in the pipe already", async () => {
    const home = new Household();
    const { acp, editor } = home.edit("--no-start");
    const answers = await Promise.allSettled([editor.initialize(), editor.newSession(), editor.list()]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    for (const answer of answers) expect(answer).toMatchObject({ reason: expect.any(RpcError) });
    expect((await acp.finished).code).toBe(3);
  });

  it("tells an editor without a roster where one is looked for, and how to make it", async () => {
    const home = new Household();
    // What lies in the folder that the editor has open is no roster to be trusted.
    home.roster(slots, {}, join(home.work, "hall.yml"));
    const { acp, editor } = home.edit();
    const own = join(home.folder, "config", "hall", "hall.yml");
    await expect(editor.initialize()).rejects.toMatchObject({
      code: -32603,
      message: `No hall runs, and there is no roster to start one with; make one: hall init --config ${own}`,
    });
    expect((await acp.finished).code).toBe(3);
    expect(home.halls).toEqual([]);
  });

  it("tells an editor what is wrong with a roster, in one sentence", async () => {
    const home = new Household();
    const roster = home.ownRoster({ broken: { comand: ["x"] } }, { sate: "./here" });
    const { acp, editor } = home.edit();
    await expect(editor.initialize()).rejects.toMatchObject({
      message: expect.stringMatching(/roster.*hall\.yml:1:\d+.*more: hall check --config/),
      data: { faults: expect.any(Array) },
    });
    const { code, stderr } = await acp.finished;
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean command?");
    expect(stderr).toContain(roster);
  });

  it("tells an editor that names no address", async () => {
    const home = new Household();
    const { acp, editor } = home.edit("--connect", "gopher://somewhere");
    await expect(editor.initialize()).rejects.toMatchObject({
      message: expect.stringMatching(/is not the address of a hall/),
    });
    expect((await acp.finished).code).toBe(2);
  });

  it("tells an editor when nobody answers at the address that was named, and starts no hall for it", async () => {
    const home = new Household();
    home.ownRoster(slots);
    const { acp, editor } = home.edit("--connect", `unix:${join(home.folder, "no.sock")}`);
    await expect(editor.initialize()).rejects.toMatchObject({
      message: expect.stringMatching(/no\.sock.*ENOENT/),
    });
    expect((await acp.finished).code).toBe(3);
    expect(home.halls).toEqual([]);
  });

  it("names the halls when several run", async () => {
    const home = new Household();
    await home.serve(home.roster(slots, { state: "./one" }, join(home.folder, "one.yml")));
    await home.serve(home.roster(slots, { state: "./two" }, join(home.folder, "two.yml")));
    const { acp, editor } = home.edit();
    await expect(editor.initialize()).rejects.toMatchObject({
      message: expect.stringMatching(/--connect unix:.*one.*--connect unix:.*two/),
    });
    expect((await acp.finished).code).toBe(2);
  });

  it("says on stderr that the hall is of another version, and goes on", async () => {
    const home = new Household();
    const socket = join(home.folder, "other.sock");
    const server = createServer((peer) => {
      peer.once("data", () => {
        const result = {
          protocolVersion: 1,
          agentInfo: { name: "hall", version: "99.0.0" },
          agentCapabilities: {},
        };
        peer.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n`);
      });
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const { acp, editor } = home.edit("--connect", `unix:${socket}`, "--reconnect", "0");
    await editor.initialize();
    await acp.finished;
    expect(acp.stderr).toMatch(/version 99\.0\.0, this is \d/);
  });

  it("ends when the editor reads no more, though it holds the other pipe open", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const acp = home.start(["acp"]);
    acp.child.stdout.destroy();
    acp.child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })}\n`,
    );
    expect((await acp.finished).code).toBe(0);
  });

  it("lets the turn and the hall go on when it is killed itself", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const { acp, editor } = home.edit();
    const sessionId = await editor.begin();
    const point = gate();
    void editor.prompt(sessionId, [point.wait, { say: "finished" }]);
    await point.reached();
    acp.signal("SIGKILL");
    await acp.finished;
    point.open();
    const { editor: again } = home.edit();
    await again.initialize();
    await again.load(sessionId);
    await again.sees("finished");
    expect(again.texts(sessionId)).toBe("finished");
  });

  it.runIf(existsSync("/proc/self/status"))("keeps its memory while the editor does not read", async () => {
    const home = new Household();
    await home.serve(home.roster(slots));
    const { acp, editor } = home.edit();
    const sessionId = await editor.begin();
    const before = residentBytes(acp.pid);
    const bytes = 96 * 2 ** 20;
    const flooded = gate();
    editor.stopReading();
    const since = editor.received.length;
    const turn = editor.prompt(sessionId, [{ flood: { bytes, size: 32 * 1024 } }, flooded.wait]);
    // The hall takes all of it meanwhile: the agent does not wait for the editor.
    await flooded.reached();
    expect(residentBytes(acp.pid) - before).toBeLessThan(48 * 2 ** 20);
    editor.readAgain();
    flooded.open();
    await turn;
    expect(editor.texts(sessionId, since).length).toBeGreaterThanOrEqual(bytes);
  });
});

function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
