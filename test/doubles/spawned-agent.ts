import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { StreamTransport } from "../../src/wire/streams.ts";
import { AcpClient } from "./acp-client.ts";
import { agentCommand } from "./scripted-agent/command.ts";
import type { Ways } from "./scripted-agent/ways.ts";

export interface SpawnedAgent {
  child: ChildProcess;
  /** Speaks to the agent over its pipes. */
  client: AcpClient;
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals | null>;
  stderr(): string;
}

/** Starts a scripted agent with nothing in between. It ends with the test, which fails if a line was wrong. */
export function spawnAgent(ways: Ways = {}): SpawnedAgent {
  const [program, ...args] = agentCommand(ways);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit").then(([code, signal]) => code ?? signal);
  const client = new AcpClient(new StreamTransport(child.stdout, child.stdin));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
    client.check.expectNoViolations();
  });
  return { child, client, exited, stderr: () => stderr };
}
