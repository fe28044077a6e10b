import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../src/ground/package-root.ts";
import type { AcpClient } from "../doubles/acp-client.ts";
import { startHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const example = (name: string): string => join(packageRoot(), "examples", name);

/** A module with this prompt function, line 4 of the file being its first. */
function moduleWith(prompt: string, head = ""): string {
  const file = join(temporaryFolder(), "planner.mjs");
  writeFileSync(
    file,
    `import { defineAgent } from "acp-hall/agent";\n${head}\nexport default defineAgent({ name: "planner", async prompt(turn) {\n${prompt}\n} });\n`,
  );
  return file;
}

const hallWith = (file: string, slot: object = {}) =>
  startHall({ slots: { planner: { module: file, ...slot } }, roster: { cancel_grace: "300ms" } });

async function begun(
  hall: Awaited<ReturnType<typeof startHall>>,
): Promise<{ client: AcpClient; sessionId: string }> {
  const client = await hall.connect();
  return { client, sessionId: await client.begin() };
}

describe("a slot that runs a module", () => {
  it("keeps its sessions over a stop of the hall and over a kill: they go on from what they remember", async () => {
    const hall = await hallWith(example("greeter.mjs"));
    const { client, sessionId } = await begun(hall);
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe('You said "hello". That was prompt 1 of this session.');

    for (const [how, count] of [
      ["stop", 2],
      ["kill", 3],
    ] as const) {
      await hall.restart(how);
      const next = await hall.connect();
      await next.initialize();
      await next.resume(sessionId);
      await next.prompt(sessionId, "again");
      expect(next.texts(sessionId)).toBe(`You said "again". That was prompt ${count} of this session.`);
    }
  });

  it("forgets what a session remembered when that is deleted, whether it was in use or not", async () => {
    const hall = await hallWith(example("greeter.mjs"));
    const { client, sessionId } = await begun(hall);
    const other = (await client.newSession()).sessionId;
    for (const id of [sessionId, other]) await client.prompt(id, "hello");
    const kept = () => readdirSync(join(hall.state, "modules", "planner")).length;
    expect(kept()).toBe(2);
    await client.deleteSession(sessionId);
    expect(kept()).toBe(1);
    await hall.restart("stop");
    const next = await hall.connect();
    await next.initialize();
    await next.deleteSession(other);
    expect(kept()).toBe(0);
  });

  it("finds its arguments in process.argv, the slot's environment, and prints to the log alone", async () => {
    const file = moduleWith(
      `console.log("x".repeat(5_000_000)); process.stdout.write("noise\\n");
       await turn.say(JSON.stringify([process.argv.slice(2), process.env.PLANNER, process.argv[1] === import.meta.filename]));`,
    );
    const hall = await hallWith(file, { args: ["--fast", "x"], env: { PLANNER: "yes" } });
    const { client, sessionId } = await begun(hall);
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe('[["--fast","x"],"yes",true]');
  });
});

describe("a module that goes wrong hurts its own turn alone", () => {
  it("in an endless loop: it is cancelled, other sessions answer meanwhile, and the session goes on", async () => {
    const hall = await hallWith(
      moduleWith(`await turn.say("here"); if (turn.text.endsWith("loop")) for (;;) {}`),
    );
    const { client, sessionId } = await begun(hall);
    const other = (await client.newSession()).sessionId;
    const stuck = client.prompt(sessionId, "loop");
    await client.hears("here");
    expect(await client.prompt(other, "fine")).toMatchObject({ stopReason: "end_turn" });
    client.cancel(sessionId);
    expect(await stuck).toMatchObject({ stopReason: "cancelled" });
    expect(await client.prompt(sessionId, "fine")).toMatchObject({ stopReason: "end_turn" });
  });

  it("in a heap that is full: the error says so, and not at which address", async () => {
    const file = moduleWith(`if (turn.text !== "eat") return;\nconst all = [];\nfor (;;) all.push({});`);
    const hall = await hallWith(file, { env: { NODE_OPTIONS: "--max-old-space-size=24" } });
    const { client, sessionId } = await begun(hall);
    await expect(client.prompt(sessionId, "eat")).rejects.toMatchObject({
      message: expect.stringMatching(/Its last words: FATAL ERROR: .*heap out of memory$/),
      data: { kind: "agent_exited" },
    });
    expect(await client.prompt(sessionId, "fine")).toMatchObject({ stopReason: "end_turn" });
  });

  it("in a loop that nobody cancels: the error of its time limit says which line, and before it the hall's log", async () => {
    const file = moduleWith(`if (turn.text === "loop") for (;;) {}\nfor (;;) await null;`);
    const hall = await hallWith(file, { turn_timeout: "8s" });
    const { client, sessionId } = await begun(hall);
    // Between two awaits a loop stands in Node itself.
    const other = (await client.newSession()).sessionId;
    const turns = [client.prompt(sessionId, "loop"), client.prompt(other, "awaits")];
    for (const [turn, line] of [
      [turns[0], 4],
      [turns[1], 5],
    ]) {
      const told = new RegExp(`planner\\.mjs:${line}:\\d+ has kept its process busy for 3 s`);
      await expect(turn).rejects.toMatchObject({
        message: expect.stringMatching(new RegExp(`Its last words: ${told.source}`)),
        data: { kind: "turn_timeout" },
      });
      expect(hall.log).toContainEqual(expect.stringMatching(new RegExp(`slot planner: ${told.source}`)));
    }
  });

  it("in a crash: the error says which line of the module, and the session goes on", async () => {
    const hall = await hallWith(
      moduleWith(
        `if (turn.text.endsWith("crash")) {\nsetImmediate(() => { throw new Error("boom"); });\nawait new Promise(() => {}); }
         if (turn.text.endsWith("exit")) process.exit(7);
         if (turn.text.endsWith("reject")) { void Promise.reject(new Error("nobody waits")); await new Promise(() => {}); }
         if (turn.text.endsWith("throw")) null.x;`,
      ),
    );
    const { client, sessionId } = await begun(hall);
    const messageOf = (text: string): Promise<string> =>
      client.prompt(sessionId, text).then(
        () => "",
        (error: unknown) => String(error),
      );
    expect(await messageOf("crash")).toMatch(/exit code 1\. Its last words: boom \(planner\.mjs:5:/);
    expect(await messageOf("throw")).toMatch(/Cannot read properties of null.* \(planner\.mjs:9:/);
    expect(await messageOf("reject")).toMatch(/nobody waits \(planner\.mjs:8:/);
    await expect(client.prompt(sessionId, "exit")).rejects.toMatchObject({
      data: { kind: "agent_exited", exitCode: 7 },
    });
    expect(await messageOf("fine")).toBe("");
  });

  it("[NG-59] with more than fits a line: what is too long is an error of its own", async () => {
    const hall = await hallWith(
      moduleWith(`await turn.say("y".repeat(turn.text === "huge" ? 40_000_000 : 3));`),
    );
    const { client, sessionId } = await begun(hall);
    await expect(client.prompt(sessionId, "huge")).rejects.toThrow(/bytes.*planner\.mjs:4:/);
    await client.prompt(sessionId, "small");
    expect(client.texts(sessionId)).toBe("yyy");
  });

  it.each([
    ["an import that rejects", "", `await Promise.reject(new Error("no key"));`, /no key \(planner\.mjs:2:/],
    [
      "a package that is not there",
      "",
      `import x from "no-such-package";`,
      /planner\.mjs:2: Cannot find package 'no-such-package'/,
    ],
    ["a syntax error", "const = 1;", "", /Unexpected token '=' \(planner\.mjs:4\)/],
  ])("by %s: the error of the session says where", async (_, prompt, head, message) => {
    const hall = await hallWith(moduleWith(prompt, head));
    const client = await hall.connect();
    await client.initialize();
    await expect(client.newSession()).rejects.toThrow(message);
  });

  it("by exporting no agent, or by not being there", async () => {
    const file = join(temporaryFolder(), "none.mjs");
    const hall = await startHall({ slots: { none: { module: file }, absent: { module: "./absent.mjs" } } });
    writeFileSync(file, "export default 5;\n");
    const client = await hall.connect();
    await client.initialize();
    await expect(client.newSession()).rejects.toThrow(/none\.mjs exports no agent/);
    await expect(client.newSession({ _meta: { "hall/slot": "absent" } })).rejects.toThrow(
      /There is no module .*absent\.mjs/,
    );
  });
});
