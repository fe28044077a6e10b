import { onTestFinished } from "vitest";
import type { AgentDefinition } from "../../../src/agents/host/agent-definition.ts";
import { Host, type HostParts } from "../../../src/agents/host/host.ts";
import { type Memory, shortMemory } from "../../../src/agents/host/memory.ts";
import { systemClock } from "../../../src/ground/clock.ts";
import { memoryPair } from "../../../src/wire/memory.ts";
import { AcpClient } from "../../doubles/acp-client.ts";
import { temporaryFolder } from "../../doubles/temporary-folder.ts";

/**
 * An agent that is written as code, served to a client in this process. Each of its lines is held against ACP's
 * schema when the test ends.
 */
export function hosted(agent: AgentDefinition, parts: Partial<HostParts> = {}): AcpClient {
  const [near, far] = memoryPair();
  const host = new Host(near, {
    agent: Promise.resolve(agent),
    memory: shortMemory(),
    clock: systemClock,
    version: "0.0.0-test",
    lineLimit: 1024 * 1024,
    folder: import.meta.dirname,
    notice: () => {},
    ...parts,
  });
  host.start();
  const client = new AcpClient(far, temporaryFolder());
  onTestFinished(() => {
    client.destroy();
    client.check.expectNoViolations();
  });
  return client;
}

/** As `hosted`, with a session that is open. */
export async function opened(agent: AgentDefinition, memory?: Memory, params: object = {}) {
  const client = hosted(agent, memory === undefined ? {} : { memory });
  await client.initialize({ clientCapabilities: ABLE });
  const { sessionId } = await client.newSession({ ...params });
  return { client, sessionId };
}

/** A client that reads and writes files and runs commands. */
export const ABLE = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
