import { describe, expect, it } from "vitest";
import type { KnownAgent } from "../../src/agents/known-agent.ts";
import { findKnownAgent, knownAgentIds, knownAgents } from "../../src/agents/registry.ts";

const each = (name: string, check: (agent: KnownAgent) => void): void =>
  it.each(knownAgents.map((agent) => [agent.id, agent] as const))(`${name}: %s`, (_, agent) => check(agent));

describe("the known agents", () => {
  it("each have a name of their own", () => {
    const names = knownAgents.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names.filter((name) => !/^[a-z][a-z0-9-]*$/.test(name))).toEqual([]);
    expect(knownAgentIds()).toEqual(knownAgents.map((agent) => agent.id));
  });

  it("are found by id and by alias, and by nothing else", () => {
    expect(findKnownAgent("claude-acp")?.id).toBe("claude-acp");
    expect(findKnownAgent("claude-agent-acp")?.id).toBe("claude-acp");
    expect(findKnownAgent("copilot")?.id).toBe("github-copilot-cli");
    for (const name of ["", "claude-acp ", "Claude", "constructor", "__proto__"]) {
      expect(findKnownAgent(name)).toBeUndefined();
    }
  });

  it("cannot be changed, at any depth", () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(knownAgents)).toBe(true);
  });

  each("names exactly one version of what is fetched", ({ from }) => {
    if (from.runner === "none") expect(from.home).toMatch(/^https:\/\//);
    else expect(from.version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  each("names packages and programs that are words, not options or paths", ({ from }) => {
    if (from.runner !== "none") expect(from.package).toMatch(/^(@[a-z0-9-]+\/)?[a-z0-9-]+$/);
    if ("program" in from) expect(from.program).toMatch(/^[a-z][a-z0-9-]*$/);
  });

  each("says its title and what it is in one sentence", ({ title, description }) => {
    expect(title).toMatch(/\S/);
    expect(description).toMatch(/^\S[^.]*\.$/);
  });

  each("sets no key and no variable of the hall's", ({ env = {} }) => {
    expect(Object.keys(env).filter((name) => /KEY|TOKEN|SECRET|^HALL_/.test(name))).toEqual([]);
  });
});
