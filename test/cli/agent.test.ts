import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { methods, ndJsonStream, PROTOCOL_VERSION, client as sdkClient } from "@agentclientprotocol/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { StreamTransport } from "../../src/wire/streams.ts";
import { claudeCode, codex, type Kind, oneShot, pi } from "../contract/kinds.ts";
import { AcpClient } from "../doubles/acp-client.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { HALL } from "./household.ts";

const PROGRAMS = join(import.meta.dirname, "..", "contract", "programs");
const programOf: Record<string, string> = {
  "claude-code": "claude.mjs",
  codex: "codex.mjs",
  pi: "pi.mjs",
  "one-shot": "one-shot.mjs",
};

/** `hall agent` with a scripted program behind it, in a home of its own. */
class Alone {
  readonly home = join(temporaryFolder(), "home");
  readonly work = join(this.home, "work");
  readonly kind: Kind;

  constructor(kind: Kind) {
    this.kind = kind;
    mkdirSync(this.work, { recursive: true });
  }

  start(flags: string[] = [], env: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams {
    const program = [process.execPath, join(PROGRAMS, programOf[this.kind.name] ?? "")];
    const oneShotFlags = this.kind === oneShot ? ["--output", "jsonl"] : [];
    const child = spawn(
      process.execPath,
      [HALL, "agent", this.kind.name, ...oneShotFlags, ...flags, "--", ...program],
      {
        env: { PATH: process.env.PATH, HOME: this.home, ...env },
      },
    );
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  /** A client that is initialized, with another process of `hall agent` each time. */
  async client(): Promise<AcpClient> {
    const child = this.start();
    const client = new AcpClient(new StreamTransport(child.stdout, child.stdin), this.work);
    await client.initialize();
    return client;
  }
}

const lasting = [claudeCode, codex, pi];

describe("hall agent", () => {
  it.each([...lasting, oneShot])("$name speaks ACP to the SDK's client", async (kind) => {
    const alone = new Alone(kind);
    const child = alone.start();
    let text = "";
    const app = sdkClient({ name: "editor" })
      .onNotification(methods.client.session.update, ({ params: { update } }) => {
        if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
          text += update.content.text;
      })
      .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
        const optionId = options.find(({ kind: offered }) => offered === "allow_once")?.optionId ?? "";
        return { outcome: { outcome: "selected", optionId } };
      });
    const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
    const stopReason = await app.connectWith(stream, async (agent) => {
      await agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {},
      });
      const { sessionId } = await agent.request(methods.agent.session.new, {
        cwd: alone.work,
        mcpServers: [],
      });
      const steps = kind.can.has("ask") ? [{ ask: { command: "make" } }] : [{ say: "allowed once" }];
      const answer = await agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: JSON.stringify(steps) }],
      });
      return answer.stopReason;
    });
    expect(stopReason).toBe("end_turn");
    expect(text).toBe("allowed once");
    const ended = once(child, "exit");
    child.stdin.end();
    expect((await ended)[0]).toBe(0);
  });

  it.each(lasting)(
    "$name loads a session with the user's words, in order, before its answer",
    async (kind) => {
      const alone = new Alone(kind);
      const before = await alone.client();
      const { sessionId } = await before.newSession();
      await before.prompt(sessionId, "first");
      await before.prompt(
        sessionId,
        kind.words([{ run: { command: "ls", output: "a file", exit: 0 } }, { say: "ran" }]),
      );
      const after = await alone.client();
      await after.load(sessionId);
      const story = after.updates(sessionId).flatMap((update): string[] => {
        if (update.sessionUpdate === "user_message_chunk")
          return [`user: ${Object(update.content).text.slice(0, 7)}`];
        if (update.sessionUpdate === "agent_message_chunk") return [`agent: ${Object(update.content).text}`];
        return update.sessionUpdate === "tool_call" ? [`tool: ${update.title}`] : [];
      });
      expect(story).toEqual(["user: first", "agent: first", 'user: [{"run"', "tool: ls", "agent: ran"]);
      await after.prompt(sessionId, kind.words([{ tell: "memory" }]));
      expect(after.texts(sessionId)).toContain("memory: first | ");
    },
  );

  it.each(lasting)("$name knows no session that it does not know", async (kind) => {
    const client = await new Alone(kind).client();
    const unknown = "99999999-2222-4333-8444-000000000000";
    for (const asked of [client.resume(unknown), client.load(unknown)]) {
      await expect(asked).rejects.toMatchObject({ code: -32002 });
    }
    await expect(client.prompt(unknown, "x")).rejects.toMatchObject({
      code: -32002,
      data: { sessionId: unknown },
    });
  });

  it.each(lasting)("$name forks a session, which goes on under a name of its own", async (kind) => {
    const client = await new Alone(kind).client();
    const { sessionId } = await client.newSession();
    await client.prompt(sessionId, "before the fork");
    const forked = Object(
      await client.request("session/fork", { sessionId, cwd: client.cwd, mcpServers: [] }),
    ).sessionId;
    expect(forked).not.toBe(sessionId);
    await client.prompt(forked, kind.words([{ tell: "memory" }]));
    expect(client.texts(forked)).toContain("memory: before the fork");
  });

  it("claude-code lists its sessions of a folder, named after what was asked first", async () => {
    const alone = new Alone(claudeCode);
    const client = await alone.client();
    const { sessionId } = await client.newSession();
    await client.prompt(sessionId, "what was asked first\nand more");
    const { sessions } = await client.list({ cwd: alone.work });
    expect(sessions).toMatchObject([{ sessionId, cwd: alone.work, title: "what was asked first" }]);
    expect((await client.list({ cwd: "/nowhere" })).sessions).toEqual([]);
  });

  it.each([claudeCode, codex])(
    "$name gets the session's MCP servers, whose secrets stand in no argument",
    async (kind) => {
      const client = await new Alone(kind).client();
      const env = [{ name: "TOKEN", value: "very-secret" }];
      const mcpServers = [{ name: "files", command: "/bin/files", args: ["-x"], env }];
      const { sessionId } = await client.newSession({ mcpServers });
      await client.prompt(sessionId, kind.words([{ tell: "servers" }]));
      expect(client.texts(sessionId)).toMatch(/"files":\{.*"command":"\/bin\/files".*"TOKEN":"very-secret"/);
    },
  );

  it("runs several sessions, each with a process of its own, and ends one when it is closed", async () => {
    const client = await new Alone(claudeCode).client();
    const [one, other] = [await client.newSession(), await client.newSession()];
    const waiting = client.prompt(one.sessionId, claudeCode.words([{ wait: true }]));
    await client.prompt(other.sessionId, "beside it");
    expect(client.texts(other.sessionId)).toBe("beside it");
    await client.closeSession(one.sessionId);
    expect(await waiting).toMatchObject({ stopReason: "cancelled" });
    await expect(client.prompt(one.sessionId, "x")).rejects.toMatchObject({ code: -32002 });
    await client.prompt(other.sessionId, ", and on");
    expect(client.texts(other.sessionId)).toBe("beside it, and on");
  });

  it("lets a program have its own vendor's key and the safe base, and no other key", async () => {
    const alone = new Alone(oneShot);
    const keys = {
      ANTHROPIC_API_KEY: "a",
      OPENAI_API_KEY: "o",
      HALL_TOKEN: "t",
      CLAUDECODE: "1",
      AWS_SECRET: "s",
    };
    const script = "process.stdout.write(Object.keys(process.env).sort().join())";
    const read = async (...flags: string[]): Promise<string> => {
      const child = spawn(
        process.execPath,
        [HALL, "agent", "one-shot", ...flags, "--", process.execPath, "-e", script],
        {
          env: { PATH: process.env.PATH, HOME: alone.home, ...keys },
        },
      );
      onTestFinished(() => void child.kill("SIGKILL"));
      const client = new AcpClient(new StreamTransport(child.stdout, child.stdin), alone.work);
      const sessionId = await client.begin();
      await client.prompt(sessionId, "go");
      return client.texts(sessionId);
    };
    expect(await read()).toBe("HALL_PROCESS,HOME,PATH");
    expect(await read("--env", "ANTHROPIC_API_KEY", "HALL_TOKEN")).toBe(
      "ANTHROPIC_API_KEY,HALL_PROCESS,HOME,PATH",
    );
  });

  it.each([
    [
      ["agent", "cursor"],
      2,
      "cursor is neither a file nor an adapter; the adapters are claude-code, codex, pi, one-shot.",
    ],
    [["agent", "one-shot"], 2, "hall agent one-shot needs a command behind --, or --preset."],
    [["agent", "codex", "--output", "jsonl"], 2, "are for hall agent one-shot"],
    [["agent", "pi", "--", "/no/such/pi"], 1, "There is no program"],
  ])("%j says what is wrong, and ends with %i", (args, code, words) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [HALL, ...args], {
      encoding: "utf8",
      input: "",
    });
    expect(stderr).toContain(words);
    expect(stdout).toBe("");
    expect(status).toBe(code);
  });
});
