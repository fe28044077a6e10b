import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { type Named, Names } from "../../src/hall/names.ts";

class Holder implements Named {
  readonly heard: string[] = [];
  heir: Holder | undefined;

  passTo(heir: this): void {
    this.heir = heir;
  }

  missed(): void {
    this.heard.push("missed");
  }

  givenUp(): void {
    this.heard.push("given up");
  }
}

function named() {
  const clock = new HandClock();
  const names = new Names<Holder>(clock);
  const holder = new Holder();
  names.take("n", holder);
  return { clock, names, holder };
}

describe("a name that a client gave itself", () => {
  it("is missed after thirty seconds and given up after ten minutes, counted from the loss, however often told", () => {
    const { clock, names, holder } = named();
    clock.advance(60 * 60_000);
    names.lost("n", holder);
    clock.advance(29_999);
    names.lost("n", holder);
    expect(holder.heard).toEqual([]);
    clock.advance(1);
    expect(holder.heard).toEqual(["missed"]);
    clock.advance(9.5 * 60_000);
    expect(holder.heard).toEqual(["missed", "given up"]);
    expect(names.holder("n")).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it("goes to the next who says it, and a loss of the one before is none any more", () => {
    const { clock, names, holder } = named();
    names.lost("n", holder);
    const heir = new Holder();
    names.take("n", heir);
    expect(holder.heir).toBe(heir);
    names.lost("n", holder);
    clock.advance(11 * 60_000);
    expect([holder.heard, heir.heard]).toEqual([[], []]);
    expect(names.holder("n")).toBe(heir);
  });

  it("is not kept for who says farewell, nor by a hall that stops", () => {
    const { clock, names, holder } = named();
    names.lost("n", holder);
    names.forget("n");
    names.take("m", holder);
    names.lost("m", holder);
    names.stop();
    clock.advance(11 * 60_000);
    expect(holder.heard).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("is given up early when a thousand others are away", () => {
    const { names, holder } = named();
    names.lost("n", holder);
    for (let other = 0; other < 1_000; other++) {
      const away = new Holder();
      names.take(`${other}`, away);
      names.lost(`${other}`, away);
    }
    expect(holder.heard).toEqual(["given up"]);
  });
});
