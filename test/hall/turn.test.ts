import { assert, constantFrom, property, array as sequence } from "fast-check";
import { describe, expect, it } from "vitest";
import { Turn, type TurnEnd, type TurnState } from "../../src/hall/turn.ts";

const STATES: TurnState[] = ["queued", "running", "requires_action", "ended"];
const LEGAL = [
  "queued > running",
  "queued > ended",
  "running > requires_action",
  "running > ended",
  "requires_action > running",
  "requires_action > ended",
];

function turn(sender = "ann") {
  const answers: string[] = [];
  const waiter = (name: string, requestId: number) => ({
    sender: name,
    requestId,
    answer: (id: string, end: TurnEnd, cursor: number) =>
      answers.push(`${name}: ${id} ${JSON.stringify(end)} at ${cursor}`),
    left: () => answers.push(`${name}: left`),
  });
  const one = new Turn<string>({ id: "t", blocks: [], extras: {}, acceptedAt: 0, keyed: true });
  one.join(waiter(sender, 1));
  return { turn: one, answers, waiter };
}

const END = { result: { stopReason: "end_turn" } };

describe("a turn", () => {
  it("goes from state to state as it may, and no other way", () => {
    assert(
      property(sequence(constantFrom(...STATES), { maxLength: 12 }), (wanted) => {
        const { turn: one } = turn();
        for (const next of wanted) {
          const before = one.state;
          const legal = LEGAL.includes(`${before} > ${next}`);
          if (legal) one.become(next);
          else expect(() => one.become(next)).toThrow(`A turn that is ${before} cannot become ${next}.`);
          expect(one.state).toBe(legal ? next : before);
          expect(one.running).toBe(one.state === "running" || one.state === "requires_action");
        }
      }),
    );
  });

  it.each<TurnState[]>([[], ["running"], ["running", "requires_action"]])(
    "ends from any state but its end, and answers once (%s %s)",
    (...path) => {
      const { turn: one, answers } = turn();
      for (const state of path) one.become(state);
      one.end(END, 7);
      expect(answers).toEqual(['ann: t {"result":{"stopReason":"end_turn"}} at 7']);
      expect(() => one.end(END, 8)).toThrow("A turn that is ended");
      expect(answers).toHaveLength(1);
    },
  );

  it("answers all who sent it under its key; the last of them is its sender", () => {
    const { turn: one, answers, waiter } = turn();
    expect([one.sender, one.requestId]).toEqual(["ann", 1]);
    one.join(waiter("bob", 2));
    one.join(waiter("ann", 3));
    one.join(waiter("cat", 4));
    expect([one.sender, one.requestId]).toEqual(["cat", 4]);
    one.end(END, 0);
    expect(answers.map((answer) => answer.split(":")[0])).toEqual(["ann", "bob", "ann", "cat"]);
  });
});
