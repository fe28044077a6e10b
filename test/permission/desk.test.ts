import { assert, constantFrom, integer, property, array as sequence, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { type Askee, Desk } from "../../src/permission/desk.ts";
import { CANCELLED, type Ending, type Outcome, type Question } from "../../src/permission/question.ts";

const OPTIONS = [
  { optionId: "yes", kind: "allow_once" },
  { optionId: "no", kind: "reject_once" },
];
const YES = { outcome: { outcome: "selected", optionId: "yes" } };
const REFUSED: Outcome = { outcome: "selected", optionId: "no" };

/** Someone who is asked, and sees questions come and go. */
class Person implements Askee {
  readonly name: string;
  canAnswer: boolean;
  /** The ids of the questions that stand before it. */
  readonly sees = new Set<string>();
  asked = 0;

  constructor(name: string, canAnswer = true) {
    this.name = name;
    this.canAnswer = canAnswer;
  }

  ask({ id }: Question): () => void {
    this.asked += 1;
    this.sees.add(id);
    return () => {
      this.sees.delete(id);
    };
  }
}

let count = 0;
const questionIn = (sessionId = "s"): Question => ({
  id: `q${++count}`,
  sessionId,
  turn: undefined,
  kind: undefined,
  toolCallId: undefined,
  title: undefined,
  options: OPTIONS,
  line: Buffer.from("{}"),
  askedAt: 0,
});

/** A desk with one question on it, put to these people. */
function open(
  people: readonly Person[],
  { timeout = 120_000, sessionId = "s" }: { timeout?: number | undefined; sessionId?: string } = {},
) {
  const clock = new HandClock();
  const desk = new Desk(clock);
  const settled: { outcome: Outcome; ending: Ending }[] = [];
  const question = questionIn(sessionId);
  const settle = (outcome: Outcome, ending: Ending): void => {
    settled.push({ outcome, ending });
  };
  desk.open({ question, timeout: timeout === Infinity ? undefined : timeout, settle }, people);
  return { clock, desk, question, settled };
}

describe("a question", () => {
  it("goes to everyone; the first answer wins and takes it from the others", () => {
    const [ann, bob] = [new Person("ann"), new Person("bob")];
    const { clock, desk, question, settled } = open([ann, bob]);
    expect([ann.sees.size, bob.sees.size]).toEqual([1, 1]);
    expect([...desk.waiting()]).toEqual([question]);
    desk.answer(question, bob, YES);
    expect(settled).toEqual([
      { outcome: { outcome: "selected", optionId: "yes" }, ending: { how: "answered", by: "bob" } },
    ]);
    expect(ann.sees.size).toBe(0);
    expect(desk.isOpen(question)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it("counts no late answer, and none of somebody who was not asked", () => {
    const [ann, bob, eve] = [new Person("ann"), new Person("bob"), new Person("eve")];
    const { desk, question, settled } = open([ann, bob]);
    desk.answer(question, eve, YES);
    expect(settled).toEqual([]);
    desk.answer(question, ann, { outcome: { outcome: "cancelled" } });
    desk.answer(question, bob, YES);
    desk.answer(question, ann, YES);
    desk.withdraw(question);
    expect(settled).toEqual([{ outcome: REFUSED, ending: { how: "answered", by: "ann" } }]);
  });

  it.each([undefined, null, {}, { outcome: { outcome: "selected", optionId: "nobody's" } }, "yes"])(
    "is refused by an answer that is none: %j",
    (answer) => {
      const ann = new Person("ann");
      const { desk, question, settled } = open([ann]);
      desk.answer(question, ann, answer);
      expect(settled).toEqual([{ outcome: REFUSED, ending: { how: "answered", by: "ann" } }]);
    },
  );

  it("is refused when its time is up, and taken from everyone", () => {
    const ann = new Person("ann");
    const { clock, desk, settled } = open([ann], { timeout: 5_000 });
    clock.advance(4_999);
    expect(settled).toEqual([]);
    clock.advance(1);
    expect(settled).toEqual([{ outcome: REFUSED, ending: { how: "expired", attended: true } }]);
    expect(ann.sees.size).toBe(0);
    expect([...desk.waiting()]).toEqual([]);
  });

  it("waits for ever where there is no time limit", () => {
    const { clock, settled } = open([new Person("ann")], { timeout: Infinity });
    expect(clock.pending).toBe(0);
    clock.advance(1e10);
    expect(settled).toEqual([]);
  });

  it("waits, with nobody there, for whoever comes to its session, or for its time to run out", () => {
    const { clock, desk, question, settled } = open([]);
    const [stranger, ann] = [new Person("stranger"), new Person("ann")];
    desk.came("another session", stranger);
    expect(stranger.asked).toBe(0);
    desk.came("s", ann);
    desk.came("s", ann);
    expect(ann.asked).toBe(1);
    clock.advance(100_000);
    desk.answer(question, ann, YES);
    expect(settled).toHaveLength(1);
    const other = open([]);
    other.clock.advance(120_000);
    expect(other.settled).toEqual([{ outcome: REFUSED, ending: { how: "expired", attended: false } }]);
  });

  it("outlasts whoever leaves: it is taken from them and waits", () => {
    const ann = new Person("ann");
    const { desk, question, settled } = open([ann]);
    desk.left(ann);
    expect(ann.sees.size).toBe(0);
    desk.answer(question, ann, YES);
    expect(settled).toEqual([]);
    desk.came("s", ann);
    expect(ann.asked).toBe(2);
    desk.answer(question, ann, YES);
    expect(settled).toHaveLength(1);
  });

  it("is withdrawn with `cancelled`, never with a yes or no", () => {
    const ann = new Person("ann");
    const { clock, desk, question, settled } = open([ann]);
    desk.withdraw(question);
    expect(settled).toEqual([{ outcome: CANCELLED, ending: { how: "withdrawn" } }]);
    expect(ann.sees.size).toBe(0);
    clock.advance(200_000);
    expect(settled).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  describe("that somebody cannot answer", () => {
    it("is left to the others", () => {
      const [ann, bob] = [new Person("ann"), new Person("bob")];
      const { desk, question, settled } = open([ann, bob]);
      desk.unable(question, ann);
      desk.answer(question, ann, YES);
      expect(settled).toEqual([]);
      desk.answer(question, bob, YES);
      expect(settled).toMatchObject([{ ending: { by: "bob" } }]);
    });

    it("is refused at once when nobody is left who could", () => {
      const [ann, bob] = [new Person("ann"), new Person("bob")];
      const { clock, desk, question, settled } = open([ann, bob]);
      desk.unable(question, ann);
      desk.unable(question, bob);
      expect(settled).toEqual([{ outcome: REFUSED, ending: { how: "unanswerable" } }]);
      expect(clock.pending).toBe(0);
    });

    it("is refused at once where all that are there are known for it, who are not asked", () => {
      const deaf = new Person("deaf", false);
      const { settled } = open([deaf]);
      expect(settled).toEqual([{ outcome: REFUSED, ending: { how: "unanswerable" } }]);
      expect(deaf.asked).toBe(0);
    });

    it("is left to whoever can, where some that are there are known for it", () => {
      const [deaf, ann] = [new Person("deaf", false), new Person("ann")];
      const { desk, question, settled } = open([deaf, ann]);
      desk.answer(question, ann, YES);
      expect(settled).toMatchObject([{ ending: { by: "ann" } }]);
    });

    it("goes on waiting when one comes who cannot", () => {
      const { desk, settled } = open([]);
      desk.came("s", new Person("deaf", false));
      expect(settled).toEqual([]);
    });
  });
});

describe("the desk", () => {
  it("tells what waits, the oldest first, in all sessions or in one", () => {
    const desk = new Desk(new HandClock());
    const questions = [questionIn("a"), questionIn("b"), questionIn("a")];
    for (const question of questions) desk.open({ question, timeout: undefined, settle: () => {} }, []);
    expect([...desk.waiting()]).toEqual(questions);
    expect([...desk.waiting("a")]).toEqual([questions[0], questions[2]]);
  });

  it("settles each question once, whatever happens, and leaves nobody before one that is over", () => {
    const happenings = constantFrom("open", "yes", "no", "unable", "left", "came", "withdraw", "time");
    const step = tuple(happenings, integer({ min: 0, max: 2 }), integer({ min: 0, max: 3 }));
    assert(
      property(sequence(step, { maxLength: 40 }), (steps) => {
        const clock = new HandClock();
        const desk = new Desk(clock);
        const people = [new Person("ann"), new Person("bob"), new Person("cat")];
        const there = new Set<Person>();
        const endings = new Map<Question, Ending[]>();
        const allowedBy = new Map<string, string>();
        for (const [what, who, which] of steps) {
          const person = people[who] ?? new Person("nobody");
          const question = [...endings.keys()][which] ?? questionIn();
          const wasAsked = person.sees.has(question.id);
          if (what === "open") {
            const fresh = questionIn();
            const told: Ending[] = [];
            endings.set(fresh, told);
            const settle = (outcome: Outcome, ending: Ending): void => {
              told.push(ending);
              if (outcome.outcome === "selected" && outcome.optionId === "yes")
                allowedBy.set(fresh.id, ending.how === "answered" ? ending.by : "nobody");
            };
            desk.open({ question: fresh, timeout: 1_000, settle }, there);
          } else if (what === "yes" || what === "no") {
            desk.answer(question, person, what === "yes" ? YES : {});
            if (what === "yes" && wasAsked) expect(allowedBy.get(question.id)).toBe(person.name);
            person.sees.delete(question.id);
          } else if (what === "unable") {
            desk.unable(question, person);
            person.sees.delete(question.id);
          } else if (what === "withdraw") desk.withdraw(question);
          else if (what === "time") clock.advance(400);
          else if (what === "left") {
            there.delete(person);
            desk.left(person);
          } else {
            there.add(person);
            desk.came("s", person);
          }
        }
        const isOpen = ([question]: [Question, Ending[]]): boolean => desk.isOpen(question);
        const entries = [...endings];
        for (const entry of entries) expect(entry[1]).toHaveLength(isOpen(entry) ? 0 : 1);
        const waiting = entries.filter(isOpen).map(([{ id }]) => id);
        for (const person of people) expect(waiting).toEqual(expect.arrayContaining([...person.sees]));
        expect(clock.pending).toBe(waiting.length);
        expect([...allowedBy.values()]).not.toContain("nobody");
      }),
      { numRuns: 500 },
    );
  });
});
