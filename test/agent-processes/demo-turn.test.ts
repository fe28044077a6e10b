import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Fields } from "../../src/acp/checks.ts";
import { listFolder } from "../../src/agents/demo/folder-listing.ts";
import type { Mode } from "../../src/agents/demo/modes.ts";
import type { Scene } from "../../src/agents/demo/scenes/scene.ts";
import { Turn } from "../../src/agents/demo/turn.ts";
import { HandClock } from "../../src/ground/clock.ts";
import type { Settle } from "../../src/wire/peer.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const STEP_MS = 100;

/** A turn on a clock that is moved by hand, and what it shows. */
function rehearsal(mode: () => Mode = () => "ask") {
  const clock = new HandClock();
  const shown: Fields[] = [];
  const questions: { settle: Settle; takenBack: boolean }[] = [];
  const audience = {
    show: (update: Fields) => shown.push(update),
    ask: (_question: Fields, settle: Settle) => {
      const question = { settle, takenBack: false };
      questions.push(question);
      return () => {
        question.takenBack = true;
      };
    },
  };
  const prompt = { text: "", attachments: 0 };
  const turn = new Turn({ prompt, cwd: "/", audience, mode, pace: { clock, step: STEP_MS } });
  const play = (scene: (turn: Turn) => Promise<unknown>) =>
    turn.play({ words: ["test"], does: "", play: async () => void (await scene(turn)) } satisfies Scene, []);
  return { clock, shown, questions, turn, play };
}

const TOOL = { title: "Look", kind: "read", input: {}, paths: [] };
const ALLOWED = { outcome: { outcome: "selected", optionId: "allow" } };
/** All that was promised by now has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a turn of the demo agent", () => {
  it("says a word a step, and all of the text in the end", async () => {
    const { clock, shown, play } = rehearsal();
    const text = "one two\n\nthree ";
    const played = play((turn) => turn.say(text));
    expect(shown).toHaveLength(1);
    for (const words of [2, 3]) {
      clock.advance(STEP_MS - 1);
      await settled();
      expect(shown).toHaveLength(words - 1);
      clock.advance(1);
      await settled();
      expect(shown).toHaveLength(words);
    }
    clock.advance(STEP_MS);
    expect(await played).toBe("end_turn");
    expect(shown.map(({ content }) => content)).toEqual(
      ["one ", "two\n\n", "three "].map((word) => ({ type: "text", text: word })),
    );
  });

  it("leaves no alarm set when it is cancelled", async () => {
    const { clock, turn, play } = rehearsal();
    const played = play(() => turn.rest(1000));
    expect(clock.pending).toBe(1);
    turn.cancel();
    expect(clock.pending).toBe(0);
    expect(await played).toBe("cancelled");
  });

  it("does not wait for work that hangs when it is cancelled", async () => {
    const { turn, play } = rehearsal();
    const played = play(() => turn.during(new Promise(() => {})));
    turn.cancel();
    expect(await played).toBe("cancelled");
  });

  it("shows nothing more after a cancel, even of a scene that has its answer already", async () => {
    const { shown, questions, turn, play } = rehearsal();
    const played = play(async () => {
      await turn.mayUse(turn.tool(TOOL));
      await turn.say("never said");
    });
    questions[0]?.settle({ ok: true, result: ALLOWED, bytes: Buffer.alloc(0) });
    turn.cancel();
    expect(await played).toBe("cancelled");
    expect(shown.map(({ status }) => status)).toEqual(["pending", "failed"]);
    expect(questions[0]?.takenBack).toBe(false);
  });

  it("takes a question back when it is cancelled, and counts as cancelled when the scene is over first", async () => {
    const asked = rehearsal();
    const played = asked.play(() => asked.turn.mayUse(asked.turn.tool(TOOL)));
    asked.turn.cancel();
    expect(await played).toBe("cancelled");
    expect(asked.questions[0]?.takenBack).toBe(true);
    const short = rehearsal();
    const over = short.play(async () => {});
    short.turn.cancel();
    expect(await over).toBe("cancelled");
  });

  it("leaves no tool call open when its scene fails", async () => {
    const { shown, turn, play } = rehearsal();
    const played = play(async () => {
      turn.tool(TOOL);
      throw new Error("as it was written");
    });
    await expect(played).rejects.toThrow("as it was written");
    expect(shown.map(({ status }) => status)).toEqual(["pending", "failed"]);
  });

  it("asks, or does not, by the mode of the moment", async () => {
    let mode: Mode = "ask";
    const { questions, turn, play } = rehearsal(() => mode);
    const answers: boolean[] = [];
    const played = play(async () => {
      answers.push(await turn.mayUse(turn.tool(TOOL)));
      answers.push(await turn.mayUse(turn.tool(TOOL)));
    });
    mode = "accept";
    questions[0]?.settle({ ok: false, error: { code: -32603, message: "no" }, lost: false });
    expect(await played).toBe("end_turn");
    expect(questions).toHaveLength(1);
    expect(answers).toEqual([false, true]);
  });
});

describe("the demo agent's look into a folder", () => {
  it("is bounded, and says that it was cut", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "inner"));
    for (let number = 0; number < 1000; number += 1) writeFileSync(join(folder, `${number}`), "");
    const found = await listFolder(folder);
    expect(found).toMatchObject({ isPartial: true });
    expect("names" in found && found.names).toHaveLength(1000);
  });

  it("says in one sentence why a folder cannot be listed", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(await listFolder(file)).toEqual({
      problem: `The folder ${file} cannot be listed: it is no folder.`,
    });
  });
});
