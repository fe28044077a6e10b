import { describe, expect, it } from "vitest";
import { converse } from "../doubles/conversation.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import { documentOf, Household } from "./household.ts";

const ask = (id: string, command: string): Step => ({
  ask: { tool: { id, title: `Run ${command}`, kind: "execute", rawInput: { command } }, options: OPTIONS },
});
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

describe("hall permissions and hall ps", () => {
  it("show what runs and what waits, answer it in place of the client, and tell of it afterwards", async () => {
    const rules = [{ deny: "execute(rm *)" }];
    const { hall, client, sessionId } = await converse({}, { slot: { permission: { rules } } });
    const home = new Household();
    const env = { HALL_CONNECT: `unix:${hall.service.addresses.unix}` };
    const run = (...args: string[]) => home.run(args, { env });

    expect((await run("ps")).stdout).toBe("Nothing runs, and nothing waits.\n");
    expect((await run("permissions")).stdout).toBe("No question waits.\n");
    const turn = client.prompt(sessionId, [ask("a", "rm x"), ask("b", "make"), ask("c", "make install")]);
    const question = await client.question();

    expect(documentOf(await run("ps", "--json")).turns).toMatchObject([
      { sessionId, slot: "scripted", state: "requires_action", questions: ["q2"] },
    ]);
    expect((await run("ps")).stdout).toMatch(/^SLOT .*\nscripted +hs_\w+ +requires_action \(q2\) /);
    const [waiting] = Object(documentOf(await run("permissions", "--json"))).questions;
    expect(waiting).toMatchObject({
      question: "q2",
      sessionId,
      slot: "scripted",
      title: "Run make",
      kind: "execute",
      timeoutMs: 120_000,
      asked: ["test (client-1)"],
      canAllow: true,
    });
    expect((await run("permissions", "list")).stdout).toMatch(/\nq2 .* execute +Run make\n$/);

    expect(await run("permissions", "allow", "q2")).toMatchObject({ code: 0, stdout: "q2 is allowed.\n" });
    await client.sees(
      ({ method, params }) => method === "$/cancel_request" && Object(params).requestId === question.id,
    );
    await client.question();
    const inside = await home.run(["permissions", "allow", "q3"], { env: { ...env, HALL_PROCESS: "x.1" } });
    expect([inside.code, inside.stderr]).toEqual([
      4,
      expect.stringContaining("An agent does not allow itself"),
    ]);
    expect(await run("permissions", "deny", "q3")).toMatchObject({ code: 0, stdout: "q3 is refused.\n" });
    await turn;
    expect(client.texts(sessionId)).toBe("asked: selected noasked: selected yesasked: selected no");

    const late = await run("permissions", "allow", "q2");
    expect([late.code, late.stderr]).toEqual([1, expect.stringContaining("No question q2 waits")]);
    const { questions } = documentOf(await run("permissions", "log", sessionId, "--json"));
    expect(questions).toMatchObject([
      { title: "Run rm x", how: "rule", allowed: false, rule: "deny: execute(rm *)", by: null },
      {
        title: "Run make",
        how: "answered",
        allowed: true,
        by: expect.stringMatching(/^hall \(client-\d+\)$/),
      },
      { title: "Run make install", how: "answered", allowed: false, latencyMs: expect.any(Number) },
    ]);
    expect((await run("permissions", "log", sessionId)).stdout).toMatch(
      /refused +deny: execute\(rm \*\) .* Run rm x\n/,
    );
  });

  it("list the rules of a session and take them away", async () => {
    const { hall, sessionId } = await converse();
    const env = { HALL_CONNECT: `unix:${hall.service.addresses.unix}` };
    const run = (...args: string[]) =>
      new Household().run(["permissions", "rules", sessionId, ...args], { env });
    hall.service.hall.sessions
      .get(sessionId)
      .files.write({ type: "ruled", at: 0, rule: 1, patterns: ["read"], question: "q", by: "ann" });
    const { stdout } = await run();
    expect(stdout).toMatch(/^NO .*\n1 +allow: read +ann +1970-01-01T00:00:00.000Z\n$/);
    expect((await run("--remove", "1")).stdout).toBe("This session has no rules of its own.\n");
    expect((await run("--remove", "1")).stderr).toContain("has no rule 1");
  });

  it("say which rule of a roster decides a call, and why", async () => {
    const home = new Household();
    const rules = [{ allow: "execute(git *)" }, { deny: "execute(rm *)" }, { allow: "edit(src/*)" }];
    const roster = home.roster({ demo: { demo: true, cwd: home.work, permission: { rules } } });
    const test = (...args: string[]) => home.run(["permissions", "test", "--config", roster, ...args]);
    expect(await test("demo", "execute", "rm -rf build")).toMatchObject({
      code: 0,
      stdout: "deny\ndeny: execute(rm *) denies rm -rf build.\n",
    });
    expect(documentOf(await test("demo", "Bash", "git log && sudo rm x", "--json"))).toEqual({
      decision: "deny",
      rule: "deny: execute(rm *)",
      why: "deny: execute(rm *) denies sudo rm x.",
    });
    expect((await test("demo", "edit", "src/../src/a.ts")).stdout).toMatch(/^allow\n/);
    expect((await test("demo", "edit", "src/../../b.ts")).stdout).toBe("ask\nNo rule decides this.\n");
    const unknown = await test("dmeo", "edit");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("there are: demo")]);
  });
});
