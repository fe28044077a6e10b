import { anything, assert, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { Settings } from "../../src/hall/settings.ts";

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
  foreign: 1,
};
const options = [
  { id: "model", type: "select", currentValue: "small", options: [] },
  { id: "thinking", type: "boolean", currentValue: true },
  { id: "odd", currentValue: { deep: 1 } },
];

describe("the settings of a session", () => {
  it("are what its agent answered, as it answered it", () => {
    const settings = Settings.of(modes, options);
    expect([settings.modes, settings.configOptions]).toEqual([modes, options]);
    expect([settings.offersMode("code"), settings.offersMode("none")]).toEqual([true, false]);
    expect([settings.offersOption("model"), settings.offersOption("none")]).toEqual([true, false]);
    expect([settings.valueOf("thinking"), settings.valueOf("none")]).toEqual([true, undefined]);
  });

  it("are none where the agent has none", () => {
    for (const none of [undefined, null, "x", 7]) {
      const settings = Settings.of(none, none);
      expect(settings.inForce).toEqual({ mode: undefined, options: [] });
      expect([settings.modes, settings.configOptions]).toEqual([undefined, undefined]);
      expect(settings.offersMode("ask")).toBe(false);
    }
  });

  it("in force are the mode, and each option that has a value which can be set", () => {
    const menu = { id: "hall.slot", currentValue: "claude" };
    expect(Settings.of(modes, [menu, ...options]).inForce).toEqual({
      mode: "ask",
      options: [
        { configId: "model", value: "small" },
        { configId: "thinking", value: true },
      ],
    });
  });

  it("change by an answer and by an update; another mode leaves all else of the modes as it is", () => {
    const settings = Settings.of(modes, options);
    expect(settings.enterMode("code")).toBe(true);
    expect(settings.enterMode("code")).toBe(false);
    expect(settings.modes).toEqual({ ...modes, currentModeId: "code" });
    settings.see("current_mode_update", { currentModeId: "ask" });
    settings.see("config_option_update", { configOptions: [{ id: "model", currentValue: "large" }] });
    settings.see("agent_message_chunk", { currentModeId: "code", configOptions: [] });
    expect(settings.inForce).toEqual({ mode: "ask", options: [{ configId: "model", value: "large" }] });
    expect(modes.currentModeId).toBe("ask");
  });

  it("have no mode to be in where the agent offers none", () => {
    const settings = Settings.of(undefined, options);
    expect(settings.enterMode("code")).toBe(false);
    expect(settings.inForce.mode).toBeUndefined();
  });

  it("take any nonsense of an agent for nothing", () => {
    assert(
      property(anything(), anything(), anything(), (some, other, mode) => {
        const settings = Settings.of(some, other);
        settings.see("current_mode_update", { currentModeId: mode });
        settings.see("config_option_update", { configOptions: other });
        for (const { configId, value } of settings.inForce.options) {
          expect(typeof configId).toBe("string");
          expect(["string", "boolean"]).toContain(typeof value);
        }
        expect(["string", "undefined"]).toContain(typeof settings.inForce.mode);
        settings.offersMode("x");
        settings.offersOption("x");
      }),
    );
  });
});
