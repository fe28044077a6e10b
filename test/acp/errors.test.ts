import { describe, expect, it } from "vitest";
import {
  errorBody,
  failure,
  HallFailure,
  methodNotFound,
  RpcError,
  recordedError,
} from "../../src/acp/errors.ts";

describe("an error for the wire", () => {
  it("carries its data only where it has some", () => {
    expect(new RpcError(1, "One.").body).toEqual({ code: 1, message: "One." });
    expect(new RpcError(1, "One.", null).body).toEqual({ code: 1, message: "One.", data: null });
    expect(methodNotFound("a/b").body).toMatchObject({ code: -32601, data: { method: "a/b" } });
  });
});

describe("an error's body", () => {
  it("is the error's own where it is made for the wire, and says nothing of a defect", () => {
    expect(errorBody(new RpcError(7, "Seven.", [1]))).toEqual({ code: 7, message: "Seven.", data: [1] });
    expect(errorBody(new RpcError(7, "Seven."))).toEqual({ code: 7, message: "Seven." });
    for (const thrown of [new TypeError("secret"), "secret", undefined])
      expect(JSON.stringify(errorBody(thrown))).not.toContain("secret");
  });
});

describe("an error that was recorded", () => {
  it("is the hall's own failure again, so that a client with a login is told of it as such", () => {
    const made = failure("interrupted", "It was cut off.", { slot: "demo" });
    const again = recordedError(JSON.parse(JSON.stringify(made.body)));
    expect(again).toBeInstanceOf(HallFailure);
    expect(again.body).toEqual(made.body);
    expect(again).toMatchObject({ kind: "interrupted", bodyForLoginClient: { code: -32603 } });
  });

  it.each([
    { code: -32000, message: "Log in.", data: { authMethods: [] } },
    { code: -32000, message: "Log in." },
    { code: -32000, message: "No.", data: { kind: "a kind of the agent's" } },
    { code: 17, message: "No.", data: { kind: "interrupted" } },
    { code: -32603, message: "No.", data: "interrupted" },
  ])("is an agent's own as it came: %j", (body) => {
    const again = recordedError(body);
    expect(again).not.toBeInstanceOf(HallFailure);
    expect(again.body).toEqual(body);
  });
});
