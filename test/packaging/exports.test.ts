import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { packageRoot } from "../../src/ground/package-root.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

/** A project that has this package, and the libraries that agents are written with. */
function project(...libraries: string[]): string {
  const folder = temporaryFolder();
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  symlinkSync(packageRoot(), join(modules, "acp-hall"));
  for (const name of libraries) symlinkSync(join(packageRoot(), "node_modules", name), join(modules, name));
  return folder;
}

/** What the compiler finds wrong with a module in strict mode. */
function faultsOf(folder: string, source: string, ...flags: string[]): string {
  writeFileSync(join(folder, "agent.mts"), source);
  const args = [
    "--noEmit",
    "--strict",
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--types",
    "",
    ...flags,
    "agent.mts",
  ];
  return spawnSync(process.execPath, [tsc, ...args], { cwd: folder, encoding: "utf8" }).stdout;
}

it("acp-hall/agent has types that stand alone, and that tell what is wrong", () => {
  const source = (title: string): string => `
    import { defineAgent, type Turn } from "acp-hall/agent";
    export default defineAgent({
      name: "typed",
      async prompt(turn: Turn) {
        const answer: string | null = await turn.ask({ title: ${title}, kind: "edit" });
        const call = turn.tool({ title: "Look" });
        call.done({ answer });
        if (answer === null) return "refusal";
        for (const block of turn.blocks) await turn.say(block);
      },
    });`;
  const lib = ["--lib", "es2023,dom"];
  expect(faultsOf(project(), source('"Go?"'), ...lib)).toBe("");
  expect(faultsOf(project(), source("5"), ...lib)).toContain(
    "Type 'number' is not assignable to type 'string'",
  );
});

it("acp-hall/graph and acp-hall/ai have types for real graphs, models and tools", () => {
  const folder = project("ai", "@langchain", "@types", "undici-types", "@ai-sdk", "zod");
  const faults = faultsOf(
    folder,
    `
    import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
    import { aiAgent, toContentBlocks, toModelParts } from "acp-hall/ai";
    import { graphAgent, turnOf } from "acp-hall/graph";
    import { stepCountIs, tool, type LanguageModel } from "ai";
    import { z } from "zod";
    const State = Annotation.Root({ prompt: Annotation<string>(), response: Annotation<string>() });
    const graph = new StateGraph(State)
      .addNode("work", async (_, config) => ({ response: await turnOf(config).readFile("a") }))
      .addEdge(START, "work")
      .addEdge("work", END)
      .compile();
    export const one = graphAgent(graph, { streamNodes: "work", extractAgentText: ({ response }) => String(response) });
    declare const model: LanguageModel;
    export const two = aiAgent({
      model,
      system: ({ session }) => session.cwd,
      stopWhen: stepCountIs(5),
      tools: (turn) => ({
        read: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => turn.readFile(path) }),
      }),
    });
    export const three = toContentBlocks(toModelParts([{ type: "text", text: "a" }]));
    `,
    "--skipLibCheck",
    "--types",
    "node",
  );
  expect(faults).toBe("");
});
