import { expect, it } from "vitest";
import { isPossible, loginMethods } from "../../../src/cli/login/method.ts";

const ways = (...methods: object[]) => loginMethods(methods).map(({ how }) => how);

it("a login in a terminal is known in each form that agents have for it", () => {
  const terminal = { kind: "terminal", args: ["--login"], env: { A: "b" } };
  expect(
    ways(
      { id: "a", name: "A", type: "terminal", args: ["--login"], env: { A: "b" } },
      { id: "b", name: "B", _meta: { type: "terminal", args: ["--login"], env: { A: "b" } } },
      { id: "c", name: "C", type: "terminal" },
    ),
  ).toEqual([terminal, terminal, { kind: "terminal", args: [], env: {} }]);
});

it("another program is run where an agent names one, also beside its own arguments", () => {
  const other = { command: "copilot", args: ["login", 7], label: "Log in" };
  expect(
    ways({ id: "a", name: "A", type: "terminal", args: ["x"], _meta: { "terminal-auth": other } }),
  ).toEqual([{ kind: "program", command: "copilot", args: ["login"], env: {} }]);
});

it("a way that only takes a key is no login that can be run; any other is the agent's own matter", () => {
  const methods = loginMethods([
    { id: "key", name: "Key", _meta: { "api-key": { provider: "x" } } },
    { id: "env", name: "Env", type: "env_var", vars: [] },
    { id: "browser", name: "Browser", description: "In a browser" },
  ]);
  expect(methods.filter(isPossible)).toEqual([
    { id: "browser", name: "Browser", description: "In a browser", how: { kind: "agent" } },
  ]);
});

it("what is no method is passed over", () => {
  expect(loginMethods(undefined)).toEqual([]);
  expect(loginMethods([null, "x", { name: "no id" }])).toEqual([]);
});
