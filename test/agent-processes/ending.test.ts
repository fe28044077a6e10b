import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type EndingParts, untilGone } from "../../src/agents/ending.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { compiled } from "../doubles/compiled.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const source = (file: string): string =>
  JSON.stringify(resolve(import.meta.dirname, "..", "..", "src", file));

/** Lets all that is ready run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Scene {
  readonly clock = new HandClock();
  readonly acts: string[] = [];
  left = true;
  hurried = false;
  news = (): void => {};
  result: boolean | undefined;

  begin(steps: readonly (readonly [name: string, wait: number])[]): void {
    const last = steps.length - 1;
    const parts: EndingParts = {
      clock: this.clock,
      left: () => this.left,
      hurried: () => this.hurried,
      onNews: (ring) => {
        this.news = ring;
      },
      steps: steps.map(([name, wait], index) => ({
        act: () => this.acts.push(name),
        wait,
        ...(index === last && { final: true }),
      })),
    };
    void untilGone(parts).then((gone) => {
      this.result = gone;
    });
  }

  async passes(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.clock.advance(10);
      await settle();
    }
  }
}

const STEPS = [
  ["close", 100],
  ["term", 100],
  ["kill", 100],
] as const;

describe("an end", () => {
  it("takes each step once the one before had its time, the last again and again", async () => {
    const scene = new Scene();
    scene.begin(STEPS);
    await scene.passes(90);
    expect(scene.acts).toEqual(["close"]);
    await scene.passes(20);
    expect(scene.acts).toEqual(["close", "term"]);
    await scene.passes(100);
    expect(scene.acts.slice(0, 3)).toEqual(["close", "term", "kill"]);
    await scene.passes(100);
    expect(new Set(scene.acts.slice(2))).toEqual(new Set(["kill"]));
    expect(scene.acts.length).toBeGreaterThan(4);
    expect(scene.result).toBe(false);
    expect(scene.clock.pending).toBe(0);
  });

  it("stops at the step that was enough", async () => {
    const scene = new Scene();
    scene.begin(STEPS);
    await scene.passes(110);
    scene.left = false;
    await scene.passes(90);
    expect(scene.acts).toEqual(["close", "term"]);
    expect(scene.result).toBe(true);
    expect(scene.clock.pending).toBe(0);
  });

  it("looks at once when there is news, without the clock", async () => {
    const scene = new Scene();
    scene.begin(STEPS);
    scene.left = false;
    scene.news();
    await settle();
    expect(scene.result).toBe(true);
    expect(scene.clock.pending).toBe(0);
  });

  it("goes to the last step when it is hurried, from the start or on the way", async () => {
    const before = new Scene();
    before.hurried = true;
    before.begin(STEPS);
    expect(before.acts).toEqual(["kill"]);
    const onTheWay = new Scene();
    onTheWay.begin(STEPS);
    onTheWay.hurried = true;
    onTheWay.news();
    await settle();
    expect(onTheWay.acts).toEqual(["close", "kill"]);
    for (const scene of [before, onTheWay]) {
      scene.left = false;
      await scene.passes(300);
      expect(scene.result).toBe(true);
    }
  });

  it("keeps Node running until it is over, though nothing else does", async () => {
    const script = `
      import { untilGone } from ${source("agents/ending.ts")};
      import { systemClock } from ${source("ground/clock.ts")};
      let looks = 0;
      const gone = await untilGone({ clock: systemClock, left: () => ++looks < 4, steps: [{ act() {}, wait: 60_000 }] });
      console.log(gone);`;
    const program = await compiled(script, temporaryFolder());
    const said = execFileSync(process.execPath, [program], { encoding: "utf8" });
    expect(said).toBe("true\n");
  });
});
