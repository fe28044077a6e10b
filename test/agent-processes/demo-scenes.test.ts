import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { choose, demoWithSdk, plansOf, textOf, toolStatuses } from "./demo-process.ts";

/** A folder with two folders and three files in it. */
function folderWithThings(): string {
  const folder = temporaryFolder();
  for (const name of ["beta", "alpha"]) mkdirSync(join(folder, name));
  for (const name of ["two.txt", "one.txt", "three.txt"]) writeFileSync(join(folder, name), "");
  return folder;
}

const WORDS = ["tour", "plan", "tool", "ask", "slow", "think", "error", "echo"];

describe("the demo agent, to the SDK's client", () => {
  it("says who it is, what it can do, and no more", async () => {
    const { introduction } = await demoWithSdk();
    expect(introduction).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "hall-demo", version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      agentCapabilities: { sessionCapabilities: { resume: {}, close: {} } },
      authMethods: [],
    });
    expect(introduction.agentCapabilities?.loadSession).not.toBe(true);
  });

  it("gives whoever is new the tour: a thought, words, a plan, a tool that asks, and what else to say", async () => {
    const { open, questions } = await demoWithSdk();
    const folder = folderWithThings();
    const { stopReason, updates } = await (await open(folder)).play("Good morning!");
    expect(stopReason).toBe("end_turn");
    expect(textOf(updates, "agent_thought_chunk")).not.toBe("");
    expect(plansOf(updates)).toEqual([
      ["in_progress", "pending", "pending"],
      ["completed", "in_progress", "pending"],
      ["completed", "completed", "in_progress"],
      ["completed", "completed", "completed"],
    ]);
    expect(questions).toHaveLength(1);
    expect(toolStatuses(updates)).toEqual(["pending", "in_progress", "completed"]);
    const said = textOf(updates);
    expect(said).toContain("I am the demo agent of hall");
    for (const word of WORDS) expect(said).toContain(`\`${word}\``);
  });

  it("sends what it says in many pieces, word by word", async () => {
    const { open } = await demoWithSdk();
    const { updates } = await (await open(temporaryFolder())).play("plan");
    const pieces = updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
    expect(pieces.length).toBeGreaterThan(textOf(updates).split(/\s+/).length / 2);
  });

  it.each(["tool", "ask"])(
    "asks at the word %s, with a yes and a no, and then really lists the folder",
    async (word) => {
      const { open, questions } = await demoWithSdk();
      const folder = folderWithThings();
      const { updates } = await (await open(folder)).play(`Use a ${word}, please.`);
      const [question] = questions;
      expect(question?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
      const call = updates.find((update) => update.sessionUpdate === "tool_call");
      expect(call).toMatchObject({ kind: "read", rawInput: { path: folder }, locations: [{ path: folder }] });
      expect(question?.toolCall.toolCallId).toBe(call?.toolCallId);
      const done = updates.findLast((update) => update.sessionUpdate === "tool_call_update");
      expect(done).toMatchObject({
        status: "completed",
        rawOutput: { entries: ["alpha/", "beta/", "one.txt", "three.txt", "two.txt"], isPartial: false },
      });
      expect(textOf(updates)).toContain("2 folders and 3 files");
    },
  );

  it("does nothing when it is refused, says so, and goes on", async () => {
    const { open } = await demoWithSdk(choose("reject_once"));
    const { stopReason, updates } = await (await open(folderWithThings())).play("tool");
    expect(toolStatuses(updates)).toEqual(["pending", "failed"]);
    expect(textOf(updates)).toContain("That was a no");
    expect(textOf(updates)).not.toContain("folders");
    expect(stopReason).toBe("end_turn");
  });

  it("tells when the folder is not there", async () => {
    const { open } = await demoWithSdk();
    const { updates } = await (await open(join(temporaryFolder(), "gone"))).play("tool");
    expect(toolStatuses(updates)).toEqual(["pending", "in_progress", "failed"]);
    expect(textOf(updates)).toContain("it is not there");
  });

  it("works through a plan at the word plan", async () => {
    const { open } = await demoWithSdk();
    const { updates } = await (await open(temporaryFolder())).play("What is your plan?");
    const plans = plansOf(updates);
    expect(plans[0]).toEqual(["in_progress", "pending", "pending", "pending"]);
    expect(plans.at(-1)).toEqual(["completed", "completed", "completed", "completed"]);
    expect(plans).toHaveLength(5);
  });

  it("thinks at the word think", async () => {
    const { open } = await demoWithSdk();
    const { updates } = await (await open(temporaryFolder())).play("/think");
    expect(textOf(updates, "agent_thought_chunk")).toContain("thinking");
    expect(textOf(updates)).toContain("this comes as my answer");
  });

  it("counts at the word slow, as far as it is told", async () => {
    const { open } = await demoWithSdk();
    const { updates } = await (await open(temporaryFolder())).play("slow 7");
    expect(textOf(updates)).toMatch(/\n\n1 2 3 4 5 6 7 \n\n/);
  });

  it("fails at the word error, with a JSON-RPC error and not with text", async () => {
    const { open } = await demoWithSdk();
    const { session } = await open(temporaryFolder());
    await expect(session.prompt("error")).rejects.toMatchObject({ code: -32603, data: { demo: true } });
  });

  it("says back anything else, owns that it understood nothing, and names its words", async () => {
    const { open } = await demoWithSdk();
    const { play } = await open(temporaryFolder());
    await play("plan");
    const said = textOf((await play("Fix the bug in parser.ts")).updates);
    expect(said).toContain("“Fix the bug in parser.ts”");
    expect(said).toContain("have no model");
    for (const word of WORDS) expect(said).toContain(`\`${word}\``);
  });

  it("offers its scenes as commands once the session is there", async () => {
    const { open } = await demoWithSdk();
    const { updates } = await (await open(temporaryFolder())).play("plan");
    const [first] = updates;
    if (first?.sessionUpdate !== "available_commands_update") throw new Error("No commands came first.");
    expect(first.availableCommands.map(({ name }) => name)).toEqual(WORDS.filter((word) => word !== "ask"));
  });

  it("does not ask in the mode accept, and says that the mode is another", async () => {
    const { agent, open, questions } = await demoWithSdk(choose("reject_once"));
    const { session, play } = await open(folderWithThings());
    expect(session.modes?.currentModeId).toBe("ask");
    await agent.request("session/set_mode", { sessionId: session.sessionId, modeId: "accept" });
    const { updates } = await play("tool");
    expect(updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "accept" });
    expect(questions).toEqual([]);
    expect(toolStatuses(updates)).toEqual(["pending", "in_progress", "completed"]);
  });
});
