import { describe, expect, it } from "vitest";
import { chosen, requestFor, SessionSettings } from "../../../src/cli/chat/session-settings.ts";

const MODES = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask", description: "Asks." },
    { id: "code", name: "Code" },
  ],
};

const MODEL = {
  id: "model",
  name: "Model",
  type: "select",
  currentValue: "small",
  options: [
    { name: "Usual", group: "usual", options: [{ value: "small", name: "Small" }] },
    { name: "Others", group: "others", options: [{ value: "ask", name: "Ask" }] },
  ],
};
const FAST = { id: "fast", name: "Fast", type: "boolean", currentValue: false };
const SLOT = { id: "hall.slot", name: "Agent", type: "select", currentValue: "a", options: [] };

function settings(result: object): SessionSettings {
  const all = new SessionSettings();
  all.take({ ...result });
  return all;
}

const choose = (all: SessionSettings, words: string) => {
  const choice = chosen(all.all, words);
  return typeof choice === "string" ? choice : requestFor(...choice);
};

describe("the settings of a session", () => {
  it("are its modes and the agent's options, in groups or not, but for the hall's own menu", () => {
    const { all } = settings({ modes: MODES, configOptions: [SLOT, MODEL, FAST] });
    expect(all.map(({ id, current, choices }) => [id, current, choices.map(({ value }) => value)])).toEqual([
      ["mode", "ask", ["ask", "code"]],
      ["model", "small", ["small", "ask"]],
      ["fast", "off", ["on", "off"]],
    ]);
  });

  it("have the modes once when an agent tells them twice", () => {
    const mode = { ...MODEL, id: "m", name: "Mode", category: "mode" };
    expect(settings({ modes: MODES, configOptions: [mode] }).all.map(({ id }) => id)).toEqual(["m"]);
  });

  it("follow what the agent tells of them", () => {
    const all = settings({ modes: MODES, configOptions: [FAST] });
    all.see({ sessionUpdate: "current_mode_update", currentModeId: "code" });
    all.see({ sessionUpdate: "config_option_update", configOptions: [{ ...FAST, currentValue: true }] });
    expect(all.all.map(({ current }) => current)).toEqual(["code", "on"]);
  });

  it("are chosen by a value or a name, each by ACP's way for it", () => {
    const all = settings({ modes: MODES, configOptions: [MODEL, FAST] });
    expect(choose(all, "CODE")).toEqual({ method: "session/set_mode", params: { modeId: "code" } });
    expect(choose(all, "Small")).toEqual({
      method: "session/set_config_option",
      params: { configId: "model", value: "small" },
    });
    expect(choose(all, "fast on")).toEqual({
      method: "session/set_config_option",
      params: { configId: "fast", type: "boolean", value: true },
    });
  });

  it("say what there is when the words name nothing, or several", () => {
    const all = settings({ modes: MODES, configOptions: [MODEL] });
    expect(choose(all, "ask")).toBe('Several have "ask"; say which: /mode mode ask, /mode model ask.');
    expect(choose(all, "model ask")).toMatchObject({ params: { configId: "model" } });
    expect(choose(all, "nonsense")).toMatch(/no "nonsense"/);
  });

  it("are none of an agent that tells nothing, or nonsense", () => {
    expect(settings({}).all).toEqual([]);
    expect(settings({ modes: { availableModes: "x" }, configOptions: ["x", { name: "no id" }] }).all).toEqual(
      [],
    );
  });
});
