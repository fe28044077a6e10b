import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { packageRoot } from "../../src/ground/package-root.ts";
import { StreamTransport } from "../../src/wire/streams.ts";
import { AcpClient } from "../doubles/acp-client.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { HALL, Household } from "./household.ts";

const GREETER = join(packageRoot(), "examples", "greeter.mjs");

/** `hall agent` with a module, and a client on its stdin and stdout. */
function alone(cwd: string, ...args: string[]) {
  const child = spawn(process.execPath, [HALL, "agent", ...args], { cwd, stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit").then(([code]) => code);
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const client = new AcpClient(new StreamTransport(child.stdout, child.stdin), cwd);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
    client.check.expectNoViolations();
  });
  return { client, exited, stderr: () => stderr };
}

describe("hall agent with a module", () => {
  it("is an agent on stdin and stdout, until stdin ends; --state keeps what its sessions remember", async () => {
    const folder = temporaryFolder();
    const first = alone(folder, GREETER, "--state", "kept");
    const sessionId = await first.client.begin();
    await first.client.prompt(sessionId, "hello");
    expect(first.client.texts(sessionId)).toBe('You said "hello". That was prompt 1 of this session.');
    first.client.end();
    expect(await first.exited).toBe(0);

    const second = alone(folder, GREETER, "--state", "kept");
    await second.client.initialize();
    await second.client.resume(sessionId);
    await second.client.prompt(sessionId, "again");
    expect(second.client.texts(sessionId)).toContain("That was prompt 2");
    expect((await second.client.list()).sessions).toMatchObject([{ sessionId, title: "hello" }]);
    await second.client.closeSession(sessionId);
    const since = second.client.messages.length;
    await second.client.load(sessionId);
    expect(second.client.userTexts(sessionId, since)).toBe("helloagain");
    second.client.end();
    expect(await second.exited).toBe(0);
    expect(second.stderr()).toBe("");
  });

  it("answers what it was asked before stdin ended, also when the module cannot be imported", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "bad.mjs"), "\nconst = 4;\n");
    const { client, exited } = alone(folder, "bad.mjs");
    const answer = client.initialize();
    client.end();
    await expect(answer).rejects.toThrow("Unexpected token '=' (bad.mjs:2)");
    expect(await exited).toBe(0);
  });

  it("says what is wrong with what it was given", async () => {
    const home = new Household();
    const missing = await home.run(["agent", "./none.mjs"]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain(
      "./none.mjs is neither a file nor an adapter; the adapters are claude-code",
    );
    const mixed = await home.run(["agent", GREETER, "--preset", "codex-exec"]);
    expect(mixed.stderr).toContain("A module takes --state alone");
    const astray = await home.run(["agent", "codex", "--state", "kept"]);
    expect(astray.stderr).toContain("--state is for modules.");
  });
});
