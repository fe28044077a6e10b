import { describe, expect, it } from "vitest";
import { Painter } from "../../src/demo/painter.ts";
import type { Choice, Person } from "../../src/demo/person.ts";
import { Questions } from "../../src/demo/questions.ts";
import { Transcript } from "../../src/demo/transcript.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import { type IncomingRequest, Peer } from "../../src/wire/peer.ts";
import { paper } from "./paper.ts";

const PARAMS = {
  toolCall: { toolCallId: "1" },
  options: [{ optionId: "a", name: "Allow", kind: "allow_once" }],
};

/** Somebody who says yes, or who thinks until the question is gone. */
const person = (decide: Person["decide"]): Person => ({ keysFor: () => ["y"], decide });
const yes = async (): Promise<Choice> => ({ optionId: "a", words: "Allow" });
const undecided = (_: unknown, withdrawn: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => withdrawn.addEventListener("abort", () => resolve(undefined)));

/** A question that was asked over a connection: what the asker gets, and what is shown. */
async function asked(decide: Person["decide"], params: object = PARAMS) {
  const { stage, text } = paper();
  const questions = new Questions(new Painter(stage, new Transcript(stage)), person(decide));
  const [near, far] = memoryPair();
  const nothing = { notification() {}, fault() {}, stray() {}, readEnd() {}, tooLong() {}, ended() {} };
  const others = { ...nothing, closed() {}, broke() {} };
  const hall = new Peer(far, 1000, { ...others, request() {} });
  hall.start();
  const answer = hall.ask("session/request_permission", params);
  const request = await new Promise<IncomingRequest>((resolve) => {
    new Peer(near, 1000, { ...others, request: resolve }).start();
  });
  return { questions, request, put: questions.put(request), answer, text };
}

describe("a question to the demo's client", () => {
  it("is shown with its keys, and answered with what was chosen", async () => {
    const { answer, text } = await asked(yes);
    expect(await answer).toEqual({ outcome: { outcome: "selected", optionId: "a" } });
    expect(text()).toBe("  asks     Allow “a tool”?\n           [y] Allow\n  you      Allow\n");
  });

  it("is answered as cancelled when it is withdrawn, and that is said", async () => {
    const { questions, request, answer, text } = await asked(undecided);
    questions.withdraw(request);
    expect(await answer).toEqual({ outcome: { outcome: "cancelled" } });
    expect(text()).toContain("Nobody answered, and the question was withdrawn: that is a no.");
  });

  it("is no question without options", async () => {
    const { put } = await asked(yes, { toolCall: { toolCallId: "1" }, options: [] });
    await expect(put).rejects.toThrow("without options");
  });
});
