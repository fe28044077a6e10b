import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { converse } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import { hookSockets } from "../doubles/hook-client.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const PROGRAM = join(import.meta.dirname, "..", "..", "dist", "cli", "main.js");
const CALL = { session_id: "s", tool_name: "Bash", tool_input: { command: "rm x" }, tool_use_id: "toolu_1" };

interface Run {
  socket?: string | undefined;
  args?: string[];
  /** What it gets on stdin; undefined: it stays open. */
  stdin?: string | undefined;
}

const started = ({ socket, args = [], stdin }: Run): ChildProcess => {
  const { HALL_PERMISSION_SOCKET: _own, ...environment } = process.env;
  const child = spawn(process.execPath, [PROGRAM, "permit", ...args], {
    env: { ...environment, ...(socket === undefined ? {} : { HALL_PERMISSION_SOCKET: socket }) },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (stdin !== undefined) child.stdin?.end(stdin);
  return child;
};

async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (bytes) => {
    said.stdout += String(bytes);
  });
  child.stderr?.on("data", (bytes) => {
    said.stderr += String(bytes);
  });
  const [code] = await once(child, "close");
  return { code, ...said };
}

const run = (how: Run) => ended(started({ stdin: JSON.stringify(CALL), ...how }));

/** What Claude Code takes for a no, and nothing else: the deny on stdout and 0, or 2 with the reason on stderr. */
function expectNo({ code, stdout, stderr }: Awaited<ReturnType<typeof ended>>, why: RegExp): void {
  if (code === 0) {
    const { hookSpecificOutput } = JSON.parse(stdout);
    expect(hookSpecificOutput).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "deny" });
    expect(hookSpecificOutput.permissionDecisionReason).toMatch(why);
  } else {
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
    expect(stdout).toBe("");
  }
}

/** A socket that does this with whoever connects. */
async function socketThat(does: (socket: Socket) => void): Promise<{ path: string; server: Server }> {
  const path = join(temporaryFolder(), "s.sock");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    does(socket);
  });
  server.listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { path, server };
}

const answering = (line: string) =>
  socketThat((socket) => socket.once("data", () => socket.write(`${line}\n`)));

describe("hall permit says no", () => {
  it.each([
    ["outside of a hall", {}, /does not run in a hall/],
    ["where the socket is gone", { socket: "/nowhere/s.sock" }, /could not be asked.*ENOENT/],
    ["to garbage on stdin", { socket: "/nowhere/s.sock", stdin: "{{{" }, /no question/],
    ["to nothing on stdin", { socket: "/nowhere/s.sock", stdin: "" }, /no question/],
    ["to JSON that names no tool", { socket: "/nowhere/s.sock", stdin: "{}" }, /no question/],
    ["to an option that it does not know", { args: ["--yes"] }, /unknown option/],
    ["to a deadline that is none", { args: ["--deadline", "soon"] }, /no duration/],
    [
      "when stdin never ends",
      { socket: "/nowhere/s.sock", stdin: undefined, args: ["--deadline", "100ms"] },
      /Nobody/,
    ],
  ])("%s", async (_name, how: Run, why) => {
    expectNo(await run(how), why);
  });

  it.each([
    ["an error", '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"No."}}'],
    ["nonsense", "allow"],
    ["an answer to something else", '{"jsonrpc":"2.0","id":7,"result":{"decision":"allow"}}'],
    ["a decision that is none", '{"jsonrpc":"2.0","id":0,"result":{"decision":"Allow"}}'],
    ["a result that is none", '{"jsonrpc":"2.0","id":0,"result":"allow"}'],
    [
      "both a result and an error",
      '{"jsonrpc":"2.0","id":0,"result":{"decision":"allow"},"error":{"code":1,"message":""}}',
    ],
  ])("when the hall answers %s", async (_name, line) => {
    const { path } = await answering(line);
    expectNo(await run({ socket: path, args: ["--deadline", "300ms"] }), /./);
  });

  it("when the connection ends before an answer, and when none comes in time", async () => {
    const { path } = await socketThat((socket) => socket.once("data", () => socket.destroy()));
    expectNo(await run({ socket: path }), /could not be asked/);
    const { path: silent } = await socketThat(() => {});
    expectNo(await run({ socket: silent, args: ["--deadline", "100ms"] }), /Nobody answered within 0.1 s/);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("when it is ended by %s", async (signal) => {
    let resolve = (): void => {};
    const connected = new Promise<void>((done) => {
      resolve = done;
    });
    const { path } = await socketThat((socket) => socket.once("data", () => resolve()));
    const child = started({ socket: path, stdin: JSON.stringify(CALL) });
    const over = ended(child);
    await connected;
    child.kill(signal);
    expectNo(await over, new RegExp(signal));
  });

  it("when an exception is thrown inside of it", async () => {
    const { path } = await answering('{"jsonrpc":"2.0","id":0,"result":{"decision":"allow"}}');
    const throwing = "data:text/javascript,JSON.stringify=()=>{throw new Error('thrown')}";
    const child = spawn(process.execPath, ["--import", throwing, PROGRAM, "permit"], {
      env: { ...process.env, HALL_PERMISSION_SOCKET: path },
    });
    child.stdin.end(JSON.stringify(CALL));
    expectNo(await ended(child), /thrown|defect/);
  });
});

describe("hall permit", () => {
  it("says yes when the hall does, in Claude Code's words and with who allowed it", async () => {
    const { client, sessionId, hall } = await converse();
    const { wait, reached, open } = gate();
    const turn = client.prompt(sessionId, [wait]);
    await reached();
    const running = run({ socket: hookSockets(hall).at(-1) });
    const question = await client.question();
    expect(question.params.toolCall).toMatchObject({ name: "Bash", rawInput: { command: "rm x" } });
    question.select("allow_once");
    expect(await running).toEqual({
      code: 0,
      stderr: "",
      stdout: `${JSON.stringify({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          permissionDecisionReason: "test (client-1) allowed it.",
        },
      })}\n`,
    });
    const asked = { tool: "deploy", reason: "release" };
    const script = run({
      socket: hookSockets(hall).at(-1),
      args: ["--format", "json"],
      stdin: JSON.stringify(asked),
    });
    (await client.question()).select("reject_once");
    const { code, stdout, stderr } = await script;
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ decision: "deny", scope: "once" });
    expect(stderr).toMatch(/^hall: test \(client-1\) refused it/);
    open();
    await turn;
  });

  it("says yes to a script by ending with 0", async () => {
    const { path } = await answering(
      '{"jsonrpc":"2.0","id":0,"result":{"decision":"allow","scope":"session","message":"Yes."}}',
    );
    const { code, stdout } = await run({ socket: path, args: ["--format", "json"], stdin: '{"tool":"x"}' });
    expect([code, JSON.parse(stdout)]).toEqual([0, { decision: "allow", scope: "session", message: "Yes." }]);
  });

  it("leaves it to the agent outside of a hall, where it is told so", async () => {
    expect(await run({ args: ["--outside", "pass"] })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("prints what goes into Claude Code's settings, with a time limit beyond its own deadline", async () => {
    const { code, stdout } = await run({ args: ["--settings"] });
    const [entry] = JSON.parse(stdout).hooks.PreToolUse;
    expect([code, entry.hooks[0]]).toEqual([
      0,
      { type: "command", command: "hall permit", timeout: 600, onFailure: "block" },
    ]);
  });
});
