import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HOOK_SETTINGS } from "../../src/cli/hook-settings.ts";
import { connectSocket } from "../../src/wire/tcp.ts";
import { AcpClient } from "../doubles/acp-client.ts";
import { eventually } from "../doubles/eventually.ts";
import { agentCommand } from "../doubles/scripted-agent/command.ts";
import { FakeModel } from "./fake-model/fake-model.ts";
import { HALL_PROGRAM, HallProcess } from "./hall-process.ts";
import { claudeProgram } from "./real/claude-cli.ts";
import { putInHome } from "./real/home.ts";
import { cues } from "./real/script.ts";

const PERMIT = `${process.execPath} ${HALL_PROGRAM} permit`;

interface Ended {
  code: number | null;
  said: string;
}

/** Claude Code, whose tools are all allowed but for what its hook says, in a hall or out of reach of one. */
describe("claude-hook", () => {
  let folder: string;
  let model: FakeModel;
  let hall: HallProcess;
  let client: AcpClient;
  let marker: string;
  let count = 0;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "hall-hook-")));
    model = await FakeModel.start();
    const command = agentCommand();
    hall = new HallProcess(join(folder, "hall"), {
      patient: { command },
      hasty: { command, permission: { timeout: "2s" } },
    });
  });
  beforeEach(async () => {
    if (!hall.runs) await hall.start();
    marker = join(folder, `ran-${++count}`);
    client = new AcpClient(await connectSocket(hall.tcp), folder);
    await client.initialize();
  });
  afterAll(async () => {
    client?.destroy();
    await hall?.stop();
    await model?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  /** A turn that runs until its file is there; and the socket of its agent. */
  async function turn(slot = "patient"): Promise<{ socket: string; end: () => Promise<void> }> {
    const { sessionId } = await client.newSession({ _meta: { "hall/slot": slot } });
    const [here, go] = [`${marker}.here`, `${marker}.go`];
    const over = client.prompt(sessionId, [{ touch: here }, { sleepUntilFile: go }]);
    over.catch(() => {});
    await eventually(() => existsSync(here)).toBe(true);
    const run = join(folder, "hall", "state", "run");
    const end = async (): Promise<void> => {
      writeFileSync(go, "");
      await over;
    };
    return { socket: join(run, readdirSync(run).toSorted().at(-1) ?? ""), end };
  }

  /** Runs Claude Code with a prompt that makes it leave the marker, and this hook before each tool. */
  async function claude(hook: object, socket: string | undefined): Promise<Ended> {
    const home = join(folder, `home-${count}`);
    mkdirSync(home, { recursive: true });
    putInHome(
      home,
      join(".claude", "settings.json"),
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "*", hooks: [hook] }] } }),
    );
    const { prompt } = cues.act(marker);
    const child = spawn(claudeProgram(), ["-p", prompt, "--allowedTools", "Bash"], {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        NO_PROXY: "127.0.0.1",
        ANTHROPIC_BASE_URL: model.address,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_ERROR_REPORTING: "1",
        DISABLE_TELEMETRY: "1",
        ...(socket === undefined ? {} : { HALL_PERMISSION_SOCKET: socket }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    const [code] = await once(child, "close");
    return { code, said };
  }

  const permit = (args = ""): object => ({
    type: "command",
    command: `${PERMIT} ${args}`.trim(),
    timeout: 600,
  });

  it("runs the tool without a hook: what is shown below is the hook's doing", async () => {
    await claude({ type: "command", command: "exit 1" }, undefined);
    expect(existsSync(marker)).toBe(true);
  });

  it("asks the client of the session, and runs the tool when that allows it", async () => {
    const { socket, end } = await turn();
    const [entry] = HOOK_SETTINGS.hooks.PreToolUse;
    const running = claude({ ...entry?.hooks[0], command: PERMIT }, socket);
    const question = await client.question();
    expect(question.params.toolCall).toMatchObject({ name: "Bash", kind: "execute", status: "pending" });
    expect(JSON.stringify(question.params.toolCall.rawInput)).toContain(marker);
    expect(existsSync(marker)).toBe(false);
    question.select("allow_once");
    await running;
    expect(existsSync(marker)).toBe(true);
    await end();
  });

  it("does not run the tool when the client refuses, and tells the model who did", async () => {
    const { socket, end } = await turn();
    const running = claude(permit(), socket);
    (await client.question()).select("reject_once");
    expect((await running).said).toContain("test (client-");
    expect(existsSync(marker)).toBe(false);
    await end();
  });

  it("does not run the tool when nobody answers in time, and tells the model that nobody did", async () => {
    const { socket, end } = await turn("hasty");
    expect((await claude(permit(), socket)).said).toContain("Nobody answered in time");
    expect(existsSync(marker)).toBe(false);
    await end();
  });

  it("does not run the tool when the hall is killed while it asks", async () => {
    const { socket } = await turn();
    const running = claude(permit(), socket);
    await client.question();
    await hall.kill();
    expect((await running).said).toContain("The hall could not be asked");
    expect(existsSync(marker)).toBe(false);
  });

  it.each([
    ["the socket is gone", permit(), "/nowhere/hall.sock", "ENOENT"],
    ["no hall is around", permit(), undefined, "does not run in a hall"],
    [
      "stdin is garbage",
      { type: "command", command: `echo garbage | ${PERMIT}`, timeout: 600 },
      "/nowhere/hall.sock",
      "no question",
    ],
    [
      "an exception is thrown inside",
      {
        type: "command",
        command: `${process.execPath} --import "data:text/javascript,JSON.stringify=()=>{throw 1}" ${HALL_PROGRAM} permit`,
        timeout: 600,
      },
      "/nowhere/hall.sock",
      "defect",
    ],
  ])("does not run the tool when %s, and tells the model why", async (_name, hook, socket, why) => {
    expect((await claude(hook, socket)).said).toContain(why);
    expect(existsSync(marker)).toBe(false);
  });

  it("does not run the tool when the hook's deadline passes", async () => {
    const { socket, end } = await turn();
    const running = claude(permit("--deadline 3s"), socket);
    await client.question();
    expect((await running).said).toMatch(/Nobody answered/);
    expect(existsSync(marker)).toBe(false);
    await end();
  });
});
