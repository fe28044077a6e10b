import { describe, expect, it } from "vitest";
import { findRoster, type RosterSearch } from "../../src/hall/roster/search.ts";

const there =
  (...files: string[]) =>
  (path: string) =>
    files.includes(path);

const search = (wish: Partial<RosterSearch>) =>
  findRoster({ env: {}, here: "/work", hereCounts: true, home: "/home/ann", exists: there(), ...wish });

const OWN = "/home/ann/.config/hall/hall.yml";
const HERE = "/work/hall.yml";

describe("the roster", () => {
  it("is what --config names, above all else, there or not", () => {
    const exists = there(HERE, OWN);
    expect(search({ config: "x/a.yml", env: { HALL_CONFIG: "/b.yml" }, exists })).toEqual({
      file: "/work/x/a.yml",
    });
    expect(search({ config: "/a.yml", hereCounts: false })).toEqual({ file: "/a.yml" });
  });

  it("is what $HALL_CONFIG names, then", () => {
    expect(search({ env: { HALL_CONFIG: "/b.yml" }, exists: there(HERE, OWN) })).toEqual({ file: "/b.yml" });
    expect(search({ env: { HALL_CONFIG: "b.yml" } })).toEqual({ file: "/work/b.yml" });
    expect(search({ env: { HALL_CONFIG: "" }, exists: there(HERE) })).toEqual({ file: HERE });
  });

  it("is ./hall.yml, then, for commands that a person runs on it", () => {
    expect(search({ exists: there(HERE, OWN) })).toEqual({ file: HERE });
  });

  it("is never ./hall.yml for commands that run in whatever folder is open", () => {
    expect(search({ hereCounts: false, exists: there(HERE, OWN) })).toEqual({ file: OWN });
    expect(search({ hereCounts: false, exists: there(HERE) })).toHaveProperty("problem");
  });

  it("is not found by a relative $HALL_CONFIG in whatever folder is open", () => {
    expect(search({ hereCounts: false, env: { HALL_CONFIG: "hall.yml" }, exists: there(HERE, OWN) })).toEqual(
      {
        problem: "$HALL_CONFIG is hall.yml, which means another file in each folder; write an absolute path.",
      },
    );
  });

  it("is the user's own at last, where XDG says, or else in ~/.config", () => {
    expect(search({ exists: there(OWN) })).toEqual({ file: OWN });
    const env = { XDG_CONFIG_HOME: "/etc/ann" };
    expect(search({ env, exists: there(OWN, "/etc/ann/hall/hall.yml") })).toEqual({
      file: "/etc/ann/hall/hall.yml",
    });
    expect(search({ env: { XDG_CONFIG_HOME: "relative" }, exists: there(OWN) })).toEqual({ file: OWN });
  });

  it("is missing when none of these is there, and what was looked for is told", () => {
    expect(search({})).toEqual({
      problem: `There is no roster: looked for ${HERE} and ${OWN}. hall init writes one; --config names another.`,
    });
    expect(search({ hereCounts: false })).toEqual({
      problem: `There is no roster: looked for ${OWN}. hall init writes one; --config names another.`,
    });
  });
});
