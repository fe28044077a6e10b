import { describe, expect, it } from "vitest";
import { RunningDemo } from "./running-demo.ts";

const A_WHOLE_SHOW_MS = 120_000;

/** Where each of these stands in the text, one behind the other; throws at the first that does not. */
function expectInOrder(text: string, wanted: readonly (string | RegExp)[]): void {
  let from = 0;
  for (const mark of wanted) {
    const found = typeof mark === "string" ? text.indexOf(mark, from) : from + text.slice(from).search(mark);
    if (found < from) throw new Error(`No ${mark} behind what came before it, in:\n${text.slice(from)}`);
    from = found + 1;
  }
}

describe("npm run demo, into a pipe", () => {
  it(
    "shows a hall at work from its opening to its end, answers itself, and leaves nothing behind",
    async () => {
      const demo = new RunningDemo();
      expect(await demo.exited, demo.stderr).toBe(0);
      expect(demo.stderr).toBe("");
      expect(demo.output).not.toContain("\u001b");
      expectInOrder(demo.output, [
        /The hall is open: process \d+, TCP 127\.0\.0\.1:\d+\./,
        // Streamed text, thoughts and a plan
        "you      Hello! Give me the tour.",
        "thought  Somebody new.",
        "agent    Hello! I am the demo agent of hall.",
        "plan     ▸ Say hello\n           ○ Look into your folder",
        "plan     ✔ Say hello\n           ▸ Look into your folder",
        // A tool call, the question and its answer
        "tool     ○ List /",
        "asks     Allow “List /",
        "you      Allow (nobody is at a keyboard: the demo answered)",
        "tool     ▸ List /",
        "tool     ✔ List /",
        "agent    I really looked: your folder holds",
        "end      end_turn",
        // A second prompt that waits
        "you      Show me a plan.",
        "A second prompt is sent: “Think aloud.” It waits.",
        "plan     ✔ Look at it once more",
        "end      end_turn",
        "Now the second one has its turn:",
        "you      Think aloud.",
        "thought  What would one think about here?",
        "end      end_turn",
        // A cancel
        "A cancel is sent.",
        "end      cancelled",
        // A cut, and coming back
        /The connection is cut, after \d+ updates\./,
        "First its history:\n  you      Be slow, count to 100.\n  agent    Counting to 100.",
        " 1 2 3 4 5 6 7 8 9 10 ",
        /That was the history, \d+ updates\. From here on it is live:\n {2}agent {4}\d+ /,
        " 100\n",
        "end      end_turn",
        "Every number from 1 to 100 is there once",
        "The hall ended, with code 0.",
      ]);
      demo.expectNothingLeft();
    },
    A_WHOLE_SHOW_MS,
  );

  it("cleans up when it is interrupted in the middle of a turn", async () => {
    const demo = new RunningDemo();
    await demo.shows(/agent {4}Hello!/);
    // Itself, the hall, an agent.
    expect(demo.processes().length).toBeGreaterThanOrEqual(3);
    demo.child.kill("SIGINT");
    expect(await demo.exited).toBe(130);
    expect(demo.stderr).toBe("");
    demo.expectNothingLeft();
  });

  it("cleans up when it is interrupted before the hall is open", async () => {
    const demo = new RunningDemo();
    await demo.shows(/A hall opens/);
    demo.child.kill("SIGTERM");
    expect(await demo.exited).toBe(143);
    demo.expectNothingLeft();
  });

  it("says what happened and shows the hall's last lines when the hall dies, and fails", async () => {
    const demo = new RunningDemo();
    const [, pid] = await demo.shows(/The hall is open: process (\d+)/);
    await demo.shows(/agent {4}Hello!/);
    process.kill(Number(pid), "SIGKILL");
    expect(await demo.exited).toBe(1);
    expect(demo.stderr).toMatch(/^\nThe demo failed: .+\nThe hall ended by SIGKILL\. Its last lines:\n/);
    expect(demo.stderr).toContain("session.created");
    demo.expectNothingLeft();
  });

  it("ends and cleans up when nobody reads its output any more", async () => {
    const demo = new RunningDemo();
    await demo.shows(/agent {4}Hello!/);
    demo.child.stdout?.destroy();
    expect(await demo.exited).toBe(141);
    demo.expectNothingLeft();
  });
});

// Elsewhere `script` takes its command in another way.
describe.runIf(process.platform === "linux")("npm run demo, on a terminal", () => {
  const onTerminal = (): RunningDemo =>
    new RunningDemo((command) => ["script", "-qefc", command.join(" "), "/dev/null"]);

  it("is coloured, draws a plan in its place, takes the person's key, and is ended by Ctrl-C", async () => {
    const demo = onTerminal();
    await demo.shows(/\[y\] Allow/);
    expect(demo.output).toContain("\u001b[1m");
    expect(demo.output).toContain("\u001b[3A\u001b[J");
    demo.type("xn");
    await demo.shows(/not done/);
    demo.type("\u0003");
    expect(await demo.exited).toBe(130);
    demo.expectNothingLeft();
  });
});
