import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { packageRoot } from "../../src/ground/package-root.ts";
import { StreamTransport } from "../../src/wire/streams.ts";
import { AcpClient } from "../doubles/acp-client.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

/** This package as it is installed in a place of its own, with no library beside it. */
function installed(): string {
  const folder = temporaryFolder();
  cpSync(join(packageRoot(), "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(packageRoot(), "package.json"), join(folder, "package.json"));
  return join(folder, "dist", "agents", "host", "main.js");
}

/** A module somewhere else, with these libraries beside it. */
function moduleWith(source: string, ...libraries: string[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  for (const name of libraries) {
    symlinkSync(join(packageRoot(), "node_modules", name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "agent.mjs"), source);
  return join(folder, "agent.mjs");
}

function started(program: string, module: string): AcpClient {
  const child = spawn(process.execPath, [program, "", "1000000", module], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  return new AcpClient(new StreamTransport(child.stdout, child.stdin));
}

const MODEL = `
  import { aiAgent } from "acp-hall/ai";
  import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const chunks = [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "lent" },
    { type: "text-end", id: "t" },
    { type: "finish", finishReason: { unified: "stop" }, usage },
  ];
  export default aiAgent({ model: new MockLanguageModelV3({ doStream: { stream: simulateReadableStream({ chunks }) } }) });
`;

it("a module finds this package wherever that is installed, and this package the module's libraries", async () => {
  const program = installed();
  const plain = started(
    program,
    moduleWith(`
    import { defineAgent } from "acp-hall/agent";
    export default defineAgent({ name: "plain", prompt: (turn) => turn.say("plain") });
  `),
  );
  const one = await plain.begin();
  await plain.prompt(one, "hello");
  expect(plain.texts(one)).toBe("plain");

  const model = started(program, moduleWith(MODEL, "ai"));
  const two = await model.begin();
  await model.prompt(two, "hello");
  expect(model.texts(two)).toBe("lent");
});

it("a library that is nowhere is an error with the line that needs it, and what to install", async () => {
  const client = started(
    installed(),
    moduleWith('\nimport { aiAgent } from "acp-hall/ai";\nexport default aiAgent({});'),
  );
  await expect(client.initialize()).rejects.toThrow(
    "agent.mjs:2: Cannot find package 'ai'. Install it beside the module: npm install ai",
  );
});
