import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OpenRequests } from "../../src/bridge/open-requests.ts";

const id = fc.oneof(fc.constantFrom(1, "1", 0, "", null, -5), fc.integer(), fc.string());

describe("the open requests", () => {
  it("are those that were asked and not answered, each as often", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), id)), (steps) => {
        const open = new OpenRequests();
        const model: unknown[] = [];
        for (const [isAsked, key] of steps) {
          if (isAsked) {
            open.asked(key);
            model.push(key);
          } else {
            open.answered(key);
            const at = model.indexOf(key);
            if (at >= 0) model.splice(at, 1);
          }
        }
        const sorted = (ids: unknown[]): string[] => ids.map((one) => JSON.stringify(one)).sort();
        expect(sorted(open.takeAll())).toEqual(sorted(model));
        expect(open.takeAll()).toEqual([]);
      }),
    );
  });
});
