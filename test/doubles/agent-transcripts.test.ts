import { describe, expect, it } from "vitest";
import { agentTranscripts, checkTranscripts, messagesTo } from "./agent-transcripts.ts";
import { spawnAgent } from "./spawned-agent.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe("the transcripts of scripted agents", () => {
  it("hold every line of every process, in order, and what befell it", async () => {
    const transcript = temporaryFolder();
    const { child, client, exited } = spawnAgent({ transcript });
    const sessionId = await client.begin();
    const turn = client.prompt(sessionId, [{ ask: { tool: { id: "t" } } }]);
    (await client.question()).select("allow");
    await turn;
    client.end();
    await exited;
    const [only, ...others] = agentTranscripts(transcript);
    expect(others).toEqual([]);
    expect(only?.pid).toBe(child.pid);
    expect(only?.entries.map(({ way }) => way).join(" ")).toBe("in out in out in out in out out note");
    expect(only && messagesTo(only).map(({ method }) => method)).toEqual([
      "initialize",
      "session/new",
      "session/prompt",
      undefined,
    ]);
    expect(() => checkTranscripts(transcript)).not.toThrow();
  });

  it("show a hall that wrote what no agent has to take", async () => {
    const transcript = temporaryFolder();
    const { client } = spawnAgent({ transcript });
    await client.initialize();
    await client.request("session/new", { cwd: "/tmp" }).catch(() => {});
    expect(() => checkTranscripts(transcript)).toThrow(/mcpServers/);
  });
});
