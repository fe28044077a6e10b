import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Foot, FootedScreen } from "../../../src/cli/chat/footed-screen.ts";
import { SmallTerminal } from "./screen.ts";

const FOOT: Foot = { lines: ["", "working", "› ab"], row: 2, column: 3 };

function footed(columns = 10) {
  const terminal = new SmallTerminal(columns);
  return { terminal, screen: new FootedScreen(terminal) };
}

describe("a screen with a foot", () => {
  it("keeps the foot below the text, and the cursor in it", () => {
    const { terminal, screen } = footed();
    screen.stand(FOOT);
    screen.write("one ");
    screen.write("two\nthree");
    expect(terminal.rows).toEqual(["one two", "three", "", "working", "› ab"]);
    expect(terminal.cursor).toEqual({ row: 4, column: 3 });
  });

  it("leaves no trace of a foot that is gone", () => {
    const { terminal, screen } = footed();
    screen.write("text");
    screen.stand(FOOT);
    screen.stand(undefined);
    expect(terminal.rows).toEqual(["text"]);
    expect(terminal.cursor).toEqual({ row: 0, column: 4 });
  });

  it("goes on behind a row that is full to its last column", () => {
    const { terminal, screen } = footed(4);
    screen.stand({ lines: ["f"], row: 0, column: 0 });
    screen.write("abcd");
    screen.write("ef");
    screen.write("gh");
    screen.write("\ni");
    expect(terminal.rows).toEqual(["abcd", "efgh", "i", "f"]);
  });

  it("writes what it would write without a foot, whatever the text and its pieces", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "界", "é", "\t") });
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 2, max: 12 }), (pieces, columns) => {
        const plain = footed(columns);
        const withFoot = footed(columns);
        withFoot.screen.stand({ lines: ["", "f"], row: 1, column: 1 });
        for (const text of pieces) {
          plain.screen.write(text);
          withFoot.screen.write(text);
        }
        withFoot.screen.stand(undefined);
        expect(withFoot.terminal.rows).toEqual(plain.terminal.rows);
      }),
    );
  });

  it("takes all of the foot away when the terminal became narrower", () => {
    const { terminal, screen } = footed(10);
    screen.stand({ lines: ["123456789", "› "], row: 1, column: 2 });
    expect(terminal.rows).toEqual(["123456789", "›"]);
    const written: string[] = [];
    terminal.columns = 5;
    terminal.write = (text) => written.push(text);
    screen.stand(undefined);
    // The first line takes two rows of five.
    expect(written.join("")).toContain("\r\x1b[2A\x1b[J");
  });

  it("goes on where the text ends after the terminal broke its last line anew", () => {
    const { terminal, screen } = footed(10);
    screen.write("abcdefghijkl");
    screen.stand({ lines: ["f"], row: 0, column: 0 });
    const written: string[] = [];
    terminal.columns = 8;
    terminal.write = (text) => written.push(text);
    screen.resized();
    // Twelve cells are a row of eight, and four of the next.
    expect(written.join("")).toContain("\x1b[1A\x1b[5G");
  });

  it("ends its line for whoever writes next", () => {
    const { terminal, screen } = footed();
    screen.write("text");
    screen.stand(FOOT);
    screen.rest();
    expect(terminal.cursor).toEqual({ row: 1, column: 0 });
  });

  it("writes nothing when the foot is as it was", () => {
    const { terminal, screen } = footed();
    screen.stand(FOOT);
    terminal.write = () => expect.fail("It was drawn again.");
    screen.stand({ ...FOOT, lines: [...FOOT.lines] });
  });
});
