import { expect, it } from "vitest";
import { EarlierTurns } from "../../../src/cli/chat/earlier-turns.ts";

const user = (text: string) => ({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
const agent = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

it("of a session's history the last two turns are kept, and the others are counted", () => {
  const earlier = new EarlierTurns();
  earlier.see({ sessionUpdate: "available_commands_update" }, undefined);
  for (const turn of ["a", "b", "c", "d"]) {
    earlier.see(user(turn), turn);
    earlier.see(user("more of it"), turn);
    earlier.see(agent("answer"), undefined);
  }
  expect(earlier.left).toBe(2);
  expect(earlier.updates.map(({ turn }) => turn)).toEqual(["c", "c", undefined, "d", "d", undefined]);
});

it("of a turn that is longer than anybody reads the end is kept", () => {
  const earlier = new EarlierTurns();
  earlier.see(user("go"), "a");
  for (let at = 0; at < 6_000; at++) earlier.see(agent(String(at)), undefined);
  expect(earlier.updates).toHaveLength(5_000);
  expect(earlier.updates.at(-1)?.update).toEqual(agent("5999"));
});
