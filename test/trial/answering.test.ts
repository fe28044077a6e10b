import { expect, it } from "vitest";
import { allowTheCommand } from "../../src/trial/answering.ts";

const options = [
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const chosen = (toolCall: object): unknown => {
  const outcome = allowTheCommand({ toolCall, options });
  return outcome?.outcome === "selected" ? outcome.optionId : outcome;
};

it.each([
  { rawInput: { command: "timeout 60 tail -f /dev/null" } },
  { rawInput: { command: ["bash", "-lc", "timeout 60 tail -f /dev/null"] } },
  { rawInput: { command: ["/bin/sh", "-c", "timeout 60 tail -f /dev/null"] } },
  { title: "timeout 60 tail -f /dev/null" },
  { title: "`timeout 60 tail -f /dev/null`" },
])("the command of the trial is allowed: %j", (call) => {
  expect(chosen(call)).toBe("once");
});

it.each([
  { rawInput: { command: "timeout 60 tail -f /dev/null; touch /tmp/x" } },
  { rawInput: { command: "touch /tmp/x && timeout 60 tail -f /dev/null" } },
  { rawInput: { command: "$(touch x) timeout 60 tail -f /dev/null" } },
  { rawInput: { command: "timeout 60 tail -f /dev/null\ntouch x" } },
  { title: "timeout 60 tail -f /dev/null", rawInput: { command: "touch x" } },
  { title: "Write a file", rawInput: { path: "/x" } },
  {},
])("everything else is refused: %j", (call) => {
  expect(chosen(call)).toBe("no");
});
