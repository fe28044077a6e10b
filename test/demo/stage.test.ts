import { describe, expect, it } from "vitest";
import { paper } from "./paper.ts";

describe("the stage", () => {
  it("has colour on a terminal, unless it is not wanted, and none elsewhere", () => {
    const looks = [
      paper(80, {}),
      paper(80, { NO_COLOR: "1" }),
      paper(80, { TERM: "dumb" }),
      paper(undefined, {}),
    ].map(({ stage }) => stage.styled("red", "word"));
    expect(looks).toEqual(["\u001b[31mword\u001b[39m", "word", "word", "word"]);
  });

  it("uses a terminal's width up to where lines tire, and a fixed one elsewhere", () => {
    expect([paper(60), paper(300), paper()].map(({ stage }) => stage.columns)).toEqual([60, 96, 88]);
  });

  it("shows nothing any more once it is dark", () => {
    const { stage, text } = paper();
    stage.write("seen");
    stage.goDark();
    stage.write("unseen");
    expect(text()).toBe("seen");
  });
});
