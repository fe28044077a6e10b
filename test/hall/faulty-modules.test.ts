import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

function moduleNamed(name: string, text: string): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  return file;
}

const sessionOf = async (file: string) => {
  const hall = await startHall({ slots: { planner: { module: file } } });
  const client = await hall.connect();
  await client.initialize();
  return { hall, client, opened: client.newSession() };
};

describe("a module that is at odds with its process", () => {
  it("writes where it should not, reads where nothing is, leaves work behind: its turns go on, and the next process too", async () => {
    const file = moduleNamed(
      "planner.mjs",
      `import { execSync } from "node:child_process";
import { writeSync } from "node:fs";
import { defineAgent } from "acp-hall/agent";
export default defineAgent({
  name: "planner",
  async prompt(turn) {
    if (turn.text === "write") {
      writeSync(1, "straight to stdout\\nand without an end");
      execSync("printf 'from a child'", { stdio: "inherit" });
      process.stdout.write("by the stream\\n");
    }
    if (turn.text === "read") {
      let read = "";
      for await (const chunk of process.stdin) read += chunk;
      await turn.say(\`read \${read.length}\`);
    }
    if (turn.text === "leave") setTimeout(() => Promise.reject(new Error("left behind")), 10);
    await turn.say(turn.text);
  },
});
`,
    );
    const { hall, client, opened } = await sessionOf(file);
    const { sessionId } = await opened;
    const exited = new Promise<void>((resolve) => {
      hall.service.hall.events.watch((type) => {
        if (type === "process.exited") resolve();
      });
    });
    for (const text of ["write", "read", "leave"])
      expect(await client.prompt(sessionId, text)).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("writeread 0readleave");
    await exited;
    expect(await client.prompt(sessionId, "next")).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toMatch(/next$/);
  });

  it.each([
    [
      "a factory",
      "planner.mjs",
      `import { defineAgent } from "acp-hall/agent";\nexport default () => defineAgent({ name: "x", prompt() {} });`,
      /exports no agent.*is a function here; export what it returns/,
    ],
    [
      "an agent by another name",
      "planner.mjs",
      `import { defineAgent } from "acp-hall/agent";\nexport const planner = defineAgent({ name: "x", prompt() {} });`,
      /exports no agent.*it exports one as planner/,
    ],
    [
      "what it requires",
      "planner.cjs",
      `const { defineAgent } = require("acp-hall/agent");\nmodule.exports = defineAgent({ name: "x", prompt() {} });`,
      /planner\.cjs: require finds no acp-hall\/agent; write the module as an ES module/,
    ],
    ["what throws undefined at once", "planner.mjs", "throw undefined;", /threw undefined/],
  ])("exports %s: the error says what to do", async (_, name, text, message) => {
    const { opened } = await sessionOf(moduleNamed(name, text));
    await expect(opened).rejects.toThrow(message);
  });

  it("imports CommonJS, and exports a promise", async () => {
    const file = moduleNamed(
      "planner.mjs",
      `import { defineAgent } from "acp-hall/agent";
import words from "./words.cjs";
export default Promise.resolve(defineAgent({ name: "x", prompt: (turn) => turn.say(words.hello) }));`,
    );
    writeFileSync(join(file, "..", "words.cjs"), 'module.exports = { hello: "from CommonJS" };');
    const { client, opened } = await sessionOf(file);
    const { sessionId } = await opened;
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("from CommonJS");
  });
});
