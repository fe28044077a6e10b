import {
  anything,
  assert,
  constant,
  constantFrom,
  oneof,
  property,
  record,
  array as sequence,
  string,
  tuple,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { allows, CANCELLED, optionsOf, outcomeOf, refusal } from "../../src/permission/question.ts";

const id = oneof(
  { weight: 4, arbitrary: constantFrom("a", "b", "c", "__proto__") },
  string({ maxLength: 2 }),
);
const kind = constantFrom(
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
  "",
  "future",
  "allow",
);
const offered = sequence(record({ optionId: id, kind }), { maxLength: 5 });

/** Answers that look right, nearly right, and not at all. */
const said = constantFrom("selected", "selected", "cancelled", "allow", "");
const answer = oneof(
  { weight: 4, arbitrary: record({ outcome: record({ outcome: said, optionId: id }) }) },
  record({ outcome: record({ optionId: id }) }),
  record({ outcome: oneof(id, constantFrom(null, true, 1)) }),
  record({ outcome: constantFrom("selected"), optionId: id }),
  anything(),
);

/** What was offered, and what was said: as often as not the choice of an offered option. */
const asked = offered.chain((options) => {
  const choices = options.map(({ optionId }) => ({ outcome: { outcome: "selected", optionId } }));
  return tuple(oneof(answer, constantFrom(undefined, ...choices)), constant(options));
});

const chosen = (result: unknown): unknown => {
  const { outcome, optionId } = Object(Object(result).outcome);
  return outcome === "selected" ? optionId : undefined;
};

describe("what an answer means", () => {
  it("is an allow only where an option that was offered for it was selected by its id", () => {
    let allowed = 0;
    assert(
      property(asked, ([result, options]) => {
        const outcome = outcomeOf(result, options);
        if (!allows(outcome, options)) return;
        allowed += 1;
        const option = options.find(
          ({ optionId, kind: of }) => optionId === chosen(result) && of.startsWith("allow"),
        );
        expect(option).toBeDefined();
        expect(outcome).toEqual({ outcome: "selected", optionId: option?.optionId });
      }),
      { numRuns: 2_000 },
    );
    expect(allowed).toBeGreaterThan(50);
  });

  it("is the choice itself where it was offered, for one thing; and else a refusal", () => {
    assert(
      property(asked, ([result, options]) => {
        const optionId = chosen(result);
        const kinds = new Set(
          options.filter((option) => option.optionId === optionId).map((option) => option.kind),
        );
        const wanted = kinds.size === 1 ? { outcome: "selected", optionId } : refusal(options);
        expect(outcomeOf(result, options)).toEqual(wanted);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is never one that was not offered", () => {
    assert(
      property(asked, ([result, options]) => {
        const outcome = outcomeOf(result, options);
        const ids = options.map(({ optionId }) => optionId);
        expect(outcome.outcome === "cancelled" || ids.includes(outcome.optionId)).toBe(true);
      }),
    );
  });
});

describe("a refusal", () => {
  it("is the option offered for it, so that the agent goes on", () => {
    const options = [
      { optionId: "y", kind: "allow_once" },
      { optionId: "never", kind: "reject_always" },
      { optionId: "n", kind: "reject_once" },
    ];
    expect(refusal(options)).toEqual({ outcome: "selected", optionId: "n" });
  });

  it("is `cancelled` where none was: a refusal for ever is no refusal for once", () => {
    expect(refusal([{ optionId: "never", kind: "reject_always" }])).toBe(CANCELLED);
    expect(refusal([])).toBe(CANCELLED);
  });

  it("allows nothing, whatever was offered, and tells the agent nothing that could be a yes", () => {
    assert(
      property(offered, (options) => {
        const no = refusal(options);
        expect(allows(no, options)).toBe(false);
        const yes = options
          .filter((option) => option.kind.startsWith("allow"))
          .map(({ optionId }) => optionId);
        expect(no.outcome === "selected" && yes.includes(no.optionId)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("whether an outcome allows", () => {
  it("is doubted where the same id was offered for a yes and for a no", () => {
    const twice = [
      { optionId: "x", kind: "allow_once" },
      { optionId: "x", kind: "reject_once" },
    ];
    expect(allows({ outcome: "selected", optionId: "x" }, twice)).toBe(false);
  });

  it("goes by ACP's kinds alone", () => {
    const of = (one: string): boolean =>
      allows({ outcome: "selected", optionId: "x" }, [{ optionId: "x", kind: one }]);
    expect(["allow_once", "allow_always"].map(of)).toEqual([true, true]);
    expect(["reject_once", "reject_always", "", "allowance"].map(of)).toEqual([false, false, false, false]);
    expect(allows(CANCELLED, [{ optionId: "x", kind: "allow_once" }])).toBe(false);
  });
});

describe("the options of a question", () => {
  it("are those that have an id; what is none is skipped", () => {
    const options = [
      { optionId: "a", kind: "allow_once", name: "Yes" },
      { optionId: "b" },
      { optionId: "c", kind: 7 },
      { optionId: 1, kind: "allow_once" },
      "d",
      null,
    ];
    expect(optionsOf({ options })).toEqual([
      { optionId: "a", kind: "allow_once" },
      { optionId: "b", kind: "" },
      { optionId: "c", kind: "" },
    ]);
    for (const none of [undefined, null, {}, "x"]) expect(optionsOf({ options: none })).toEqual([]);
  });
});
