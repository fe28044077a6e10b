import { describe, expect, it } from "vitest";
import { kinds, pi, providedKinds } from "./kinds.ts";
import { play } from "./scene.ts";
import type { Failure } from "./step.ts";

const KINDS: readonly [Failure, string][] = [
  ["400", "bad_request"],
  ["404", "model_missing"],
  ["429", "rate_limited"],
  ["529", "overloaded"],
  ["long", "context_too_long"],
];

describe.each(providedKinds)("a provider's failure behind an agent of the kind $name", (kind) => {
  it("is an error that says which, and never the agent's text; the session goes on", async () => {
    const { client, sessionId, prompt } = await play(kind);
    for (const [failure, name] of KINDS) {
      await expect(prompt({ error: failure })).rejects.toMatchObject({
        code: -32603,
        data: { kind: kind.name === "one-shot" ? "run_failed" : name },
      });
    }
    expect(client.texts(sessionId)).toBe("");
    expect(await prompt({ say: "better" })).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("better");
  });

  // A module has no login: an editor that is told to offer one would hide what to do.
  it.runIf(!["one-shot", "ai"].includes(kind.name))(
    "for want of a login is the protocol's own error for that",
    async () => {
      const { prompt } = await play(kind);
      await expect(prompt({ error: "401" })).rejects.toMatchObject({
        code: -32000,
        data: { kind: "not_logged_in" },
      });
    },
  );
});

describe.each(kinds)("an agent of the kind $name", (kind) => {
  it("whose process ends in a turn fails that turn, and is restored for the next", async () => {
    const { client, sessionId, prompt } = await play(kind);
    await prompt({ say: "remember me" });
    await expect(prompt({ die: 7 })).rejects.toMatchObject({
      data: { kind: "agent_exited", exitCode: 7 },
    });
    await prompt({ tell: "memory" });
    expect(client.texts(sessionId)).toMatch(/memory: .*remember me/);
  });

  it("goes on where it was after its hall was killed", async () => {
    const { hall, sessionId, prompt } = await play(kind);
    await prompt({ say: "remember me" });
    await hall.restart("kill");
    const client = await hall.connect();
    await client.initialize();
    await client.resume(sessionId);
    await client.prompt(sessionId, kind.words([{ tell: "memory" }]));
    expect(client.texts(sessionId)).toMatch(/memory: .*remember me/);
    expect(hall.log.filter((line) => line.includes('"way":"resume"'))).toHaveLength(1);
  });

  it.runIf(["claude-code", "one-shot", "native", "module", "ai"].includes(kind.name))(
    "that comes to a limit says so by its stop reason",
    async () => {
      const { prompt } = await play(kind);
      expect(await prompt({ limit: true })).toMatchObject({ stopReason: "max_turn_requests" });
    },
  );
});

describe("pi", () => {
  it("that tries again after a failure answers when the last attempt is over, and once", async () => {
    const { client, sessionId, prompt } = await play(pi);
    expect(await prompt({ retry: "the second attempt" })).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("the second attempt");
    expect(await prompt({ limit: true })).toMatchObject({ stopReason: "max_tokens" });
  });
});
