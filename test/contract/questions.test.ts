import { describe, expect, it } from "vitest";
import { kinds } from "./kinds.ts";
import { play, toolCalls } from "./scene.ts";

const asking = kinds.filter(({ can }) => can.has("ask"));

describe.each(asking)("a question of an agent of the kind $name", (kind) => {
  const optionOf = (options: readonly { kind: string; optionId: string }[], wanted: string): string => {
    const option = options.find((offered) => offered.kind === wanted);
    if (!option) throw new Error(`There is no ${wanted}.`);
    return option.optionId;
  };

  it("lets it act once when it is allowed", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const turn = prompt({ ask: { command: "make" } });
    const question = await client.question();
    expect(toolCalls(client, sessionId).map(({ begun }) => begun)).toEqual([1]);
    question.select(optionOf(question.params.options, "allow_once"));
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toMatch(/^(allowed once|asked: selected allow)$/);
    expect(toolCalls(client, sessionId).map(({ statuses }) => statuses.at(-1))).toEqual(["completed"]);
  });

  it.runIf(kind.can.has("ask always"))("keeps the rule that was offered, and nothing beside it", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const turn = prompt({ ask: { command: "make" } });
    const question = await client.question();
    const always = question.params.options.find((offered) => offered.kind === "allow_always");
    expect(always?.name).toContain("make");
    question.select(always?.optionId ?? "");
    await turn;
    const rule = {
      "claude-code": "allowed always: addRules session",
      codex: 'allowed always: {"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["make"]}}',
    };
    expect(client.texts(sessionId)).toBe(kind.name === "codex" ? rule.codex : rule["claude-code"]);
  });

  it("keeps it from acting when it is refused, and the turn goes on", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const turn = prompt({ ask: { command: "make" } }, { say: "!" });
    const question = await client.question();
    question.select(optionOf(question.params.options, "reject_once"));
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toMatch(/^(refused|asked: selected reject)!$/);
  });

  it("is refused by an answer that was not offered", async () => {
    const { client, sessionId, prompt } = await play(kind);
    const turn = prompt({ ask: { command: "make" } });
    (await client.question()).select("allow_everything_always");
    await turn;
    expect(client.texts(sessionId)).toMatch(/^(refused|asked: selected reject)$/);
  });
});
