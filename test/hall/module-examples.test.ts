import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { packageRoot } from "../../src/ground/package-root.ts";
import { FakeModel } from "../agents/fake-model/fake-model.ts";
import { startHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const example = (name: string): string => join(packageRoot(), "examples", name);

describe("the examples of agents that are written as code, in a hall", () => {
  it("a reviewer reads files through the client, and writes what it found when it may", async () => {
    const hall = await startHall({ slots: { reviewer: { module: example("reviewer.mjs") } } });
    writeFileSync(join(hall.work, "a.js"), "console.log(1);\nlet b; // TODO\n");
    const client = await hall.connect();
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "Please review a.js and missing.js");
    const { params, select } = await client.question();
    expect(params.toolCall).toMatchObject({ title: "Write REVIEW.md", kind: "edit" });
    select("allow");
    expect(await answer).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe(
      "- a.js:1: prints to the console\n- a.js:2: something is still to do\n- missing.js: cannot be read\n",
    );
    expect(readFileSync(join(hall.work, "REVIEW.md"), "utf8")).toContain("a.js:2: something is still to do");
  });

  it("a graph asks before it deletes", async () => {
    const hall = await startHall({ slots: { cleaner: { module: example("cleaner.mjs") } } });
    const client = await hall.connect();
    const sessionId = await client.begin();
    const answer = client.prompt(sessionId, "the old a.log please");
    const { params, select } = await client.question();
    expect(params.toolCall).toMatchObject({ title: "Delete a.log?" });
    select("reject");
    await answer;
    expect(client.texts(sessionId)).toBe("Nothing was deleted.");
  });

  it("a model of an OpenAI-compatible API uses a tool, and remembers after a kill", async () => {
    const model = await FakeModel.start();
    onTestFinished(() => model.stop());
    const env = { MODEL_URL: `${model.address}/v1`, MODEL_KEY: "top-secret" };
    const hall = await startHall({ slots: { assistant: { module: example("assistant.mjs"), env } } });
    writeFileSync(join(hall.work, "a.txt"), "what stands in a\n");
    const client = await hall.connect();
    const sessionId = await client.begin();
    expect(await client.prompt(sessionId, "cue: read a.txt")).toMatchObject({ stopReason: "end_turn" });
    expect(client.updates(sessionId)).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "tool_call_update",
        status: "completed",
        rawOutput: "what stands in a\n",
      }),
    );
    expect(client.texts(sessionId)).toContain("what stands in a");
    await hall.restart("kill");
    const next = await hall.connect();
    await next.initialize();
    await next.resume(sessionId);
    await next.prompt(sessionId, "cue: say hi");
    expect(JSON.stringify(model.exchanges.at(-1))).toContain("what stands in a");
  });
});

describe("a graph whose question is open when its process is killed", () => {
  it("is restored, and the next prompt answers the question, once", async () => {
    const folder = temporaryFolder();
    symlinkSync(join(packageRoot(), "node_modules"), join(folder, "node_modules"));
    const saver = pathToFileURL(join(import.meta.dirname, "..", "doubles", "file-saver.mjs")).href;
    const ran = join(folder, "ran");
    writeFileSync(
      join(folder, "graph.mjs"),
      `import { appendFileSync, writeFileSync } from "node:fs";
       import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";
       import { graphAgent } from "acp-hall/graph";
       import { FileSaver } from ${JSON.stringify(saver)};
       writeFileSync(${JSON.stringify(join(folder, "pid"))}, String(process.pid));
       const State = Annotation.Root({ prompt: Annotation(), response: Annotation() });
       export default graphAgent(
         new StateGraph(State)
           .addNode("ask", () => {
             const answer = interrupt("Go on?");
             appendFileSync(${JSON.stringify(ran)}, answer + "\\n");
             return { response: "answered " + answer };
           })
           .addEdge(START, "ask")
           .addEdge("ask", END)
           .compile({ checkpointer: new FileSaver(${JSON.stringify(join(folder, "threads"))}) }),
       );`,
    );
    const hall = await startHall({ slots: { graph: { module: join(folder, "graph.mjs") } } });
    const client = await hall.connect();
    const sessionId = await client.begin();
    const lost = client.prompt(sessionId, "begin");
    await client.question();
    process.kill(Number(readFileSync(join(folder, "pid"), "utf8")), "SIGKILL");
    await expect(lost).rejects.toMatchObject({ data: { kind: "agent_exited", signal: "SIGKILL" } });
    expect(existsSync(ran)).toBe(false);

    expect(await client.prompt(sessionId, "by all means")).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("answered by all means");
    const again = client.prompt(sessionId, "by all means");
    (await client.question()).select("reject");
    await again;
    expect(readFileSync(ran, "utf8")).toBe("by all means\nreject\n");
  });
});
