import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { acpxExec, type Ended, type Exec } from "./clients/acpx.ts";
import type { Errand, Outcome } from "./clients/errand.ts";
import { runWithOldSdk } from "./clients/old-sdk.ts";
import { runWithSdk } from "./clients/sdk.ts";
import { HALL_PROGRAM } from "./hall-process.ts";
import { sdkExample } from "./real/sdk-example.ts";
import { Stage } from "./stage.ts";

/** What the agent says at the end of a turn, according to what it was answered. */
const WHEN_ALLOWED = "I've successfully updated the configuration.";
const WHEN_REFUSED = "I understand you prefer not to make that change.";

/** Clients that others made. The agent is a small one, that asks one question a turn. */
describe("clients", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.set(sdkExample);
  });
  afterEach(({ task }) => {
    if (task.result?.state === "fail") process.stderr.write(stage.lastWords);
  });
  afterAll(() => stage?.strike());

  const { prompt } = sdkExample.script.talk;

  const expectTurn = async (run: (errand: Errand) => Promise<Outcome>): Promise<void> => {
    const outcome = await run({ hall: stage.hall.tcp, cwd: stage.workFolder(), prompt });
    expect(outcome).toMatchObject({ stopReason: "end_turn", questions: 1 });
    expect(outcome.text).toContain(WHEN_ALLOWED);
  };

  it("the current SDK runs a turn with a question over TCP", () => expectTurn(runWithSdk));

  it("an old SDK runs a turn with a question over TCP", () => expectTurn(runWithOldSdk));

  const acpx = (permissions: Exec["permissions"]): Promise<Ended> =>
    acpxExec({
      agent: [process.execPath, HALL_PROGRAM, "acp", "--connect", stage.hall.url],
      cwd: stage.workFolder(),
      home: stage.workFolder(),
      permissions,
      prompt,
    });

  it("acpx runs a turn through hall acp, allowing what it is asked", async () => {
    const { code, stdout, stderr } = await acpx("--approve-all");
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain(WHEN_ALLOWED);
  });

  it("acpx runs a turn with a question through hall agent, without a hall", async () => {
    const program = join(import.meta.dirname, "..", "contract", "programs", "claude.mjs");
    const { code, stdout, stderr } = await acpxExec({
      agent: [process.execPath, HALL_PROGRAM, "agent", "claude-code", "--", process.execPath, program],
      cwd: stage.workFolder(),
      home: stage.workFolder(),
      permissions: "--approve-all",
      prompt: JSON.stringify([{ ask: { command: "make" } }]),
    });
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain("allowed once");
  });

  it("acpx runs a turn through hall acp, refusing what it is asked", async () => {
    const { code, stdout, stderr } = await acpx("--deny-all");
    // Its own word for a turn in which something was refused.
    expect(code, stdout + stderr).toBe(5);
    expect(stdout).toContain(WHEN_REFUSED);
  });
});
