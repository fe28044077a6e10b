import { assert, constantFrom, dictionary, jsonValue, oneof, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { clientCapabilities } from "../../src/acp/agent-side.ts";
import type { Fields } from "../../src/acp/checks.ts";
import { failure, invalidParams, RpcError } from "../../src/acp/errors.ts";
import { initialize, promised, Served } from "./served.ts";

const list = (id: unknown) => ({ id, method: "session/list", params: {} });

describe("a connection before initialize", () => {
  it.each(["session/new", "session/prompt", "_vendor/x", "session/cancel"])("refuses %s", async (method) => {
    const served = new Served();
    await served.gets({ id: 1, method, params: {} });
    expect(served.answers).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    expect(served.calls).toEqual([]);
  });

  it("passes notifications over", async () => {
    const served = new Served();
    await served.gets({ method: "session/cancel", params: {} }, { method: "_vendor/x" });
    expect([served.heard, served.wrote]).toEqual([[], ""]);
  });

  it("is ended, with a word why, when initialize does not come in time", async () => {
    const served = new Served();
    served.clock.advance(9_999);
    await served.settled();
    expect(served.wrote).toBe("");
    served.clock.advance(1);
    await served.settled();
    expect(served.answers).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(served.wrote).toMatch(/\(end\)\n$/);
  });

  it("waits for ever where there is no such limit", async () => {
    const served = new Served({}, { initializeWithin: undefined });
    expect(served.clock.pending).toBe(0);
    served.clock.advance(1e9);
    await served.settled();
    expect(served.wrote).toBe("");
  });

  it("takes lines of a limit of its own", async () => {
    const served = new Served({}, { lineBefore: 200, line: 1_000 });
    await served.gets(initialize(1, { note: "x".repeat(200) }), list(2));
    expect(served.answers).toMatchObject([
      { id: null, error: { code: -32600, message: expect.stringMatching("200") } },
    ]);
  });

  it("is closed at last when who was sent away does not go", async () => {
    const served = new Served({}, { lineBefore: 10 });
    await served.gets("this is too long\n");
    expect(served.heard).toEqual([]);
    served.clock.advance(2_000);
    await served.settled();
    expect(served.heard).toEqual(["closed"]);
    expect(served.clock.pending).toBe(0);
  });

  it("leaves no alarm behind when it closes", async () => {
    const served = new Served();
    served.far.destroy();
    await served.settled();
    expect(served.heard.at(-1)).toBe("closed");
    expect(served.clock.pending).toBe(0);
  });
});

describe("initialize", () => {
  it.each([0, 1, 2, 65_535])("takes version %j", async (protocolVersion) => {
    const served = new Served();
    await served.gets(initialize(1, { protocolVersion }));
    expect(served.answers).toMatchObject([{ id: 1, result: { protocolVersion: 1 } }]);
    expect(served.side.initialized).toBe(true);
  });

  it.each([-1, 65_536, 1.5, "1", null, undefined, true])(
    "refuses version %j and may come again",
    async (version) => {
      const served = new Served();
      await served.gets({ id: 1, method: "initialize", params: { protocolVersion: version } }, initialize(2));
      expect(served.answers).toMatchObject([
        { id: 1, error: { code: -32602, data: { field: "protocolVersion" } } },
        { id: 2, result: {} },
      ]);
    },
  );

  it.each([[[]], ["x"], [1]])("refuses params that are no object: %j", async (params) => {
    const served = new Served();
    await served.gets({ id: 1, method: "initialize", params });
    expect(served.answers).toMatchObject([{ id: 1, error: { code: -32602 } }]);
  });

  it("has the same answer the second time, and the capabilities of the first stay", async () => {
    let asked = 0;
    const served = new Served({ initialize: () => Promise.resolve({ count: ++asked }) });
    await served.gets(initialize(1, { clientCapabilities: { terminal: true } }), initialize(2));
    expect(served.answers).toMatchObject([
      { id: 1, result: { count: 1 } },
      { id: 2, result: { count: 1 } },
    ]);
    expect(served.side.capabilities.terminal).toBe(true);
  });

  it("takes all the time it needs: once it came, no time runs out", async () => {
    const { promise, resolve } = promised<Fields>();
    const served = new Served({ initialize: () => promise });
    await served.gets(initialize(1));
    served.clock.advance(3_600_000);
    resolve({ late: true });
    await served.settled();
    expect(served.answers).toMatchObject([{ id: 1, result: { late: true } }]);
    expect(served.clock.pending).toBe(0);
  });

  it("that is refused leaves the connection waiting for another, for a while", async () => {
    const served = new Served({ initialize: () => Promise.reject(invalidParams("No such slot.")) });
    await served.gets(initialize(1), list(2));
    expect(served.answers).toMatchObject([
      { id: 1, error: { code: -32602, message: "No such slot." } },
      { id: 2, error: { code: -32600 } },
    ]);
    served.clock.advance(10_000);
    await served.settled();
    expect(served.wrote).toMatch(/\(end\)\n$/);
  });

  it("holds back what was sent in the same breath until it is answered, in order", async () => {
    const { promise, resolve } = promised<Fields>();
    const served = new Served({ initialize: () => promise });
    await served.gets(initialize(1), list(2), { method: "_note", params: {} }, list(3), {
      method: "$/cancel_request",
      params: { requestId: 2 },
    });
    expect([served.heard, served.wrote]).toEqual([[], ""]);
    resolve({});
    await served.settled();
    expect(served.heard).toEqual([
      "answered 1",
      "request 2 session/list",
      "notification _note {}",
      "request 3 session/list",
      "cancelled 2",
    ]);
  });

  it("holds back what stands behind a second one, where the first was refused", async () => {
    const second = promised<Fields>();
    const answers = [Promise.reject(invalidParams("Not yet.")), second.promise];
    const served = new Served({ initialize: () => answers.shift() ?? Promise.resolve({}) });
    await served.gets(initialize(1), initialize(2), list(3));
    expect(served.answers).toMatchObject([{ id: 1, error: {} }]);
    second.resolve({});
    await served.settled();
    expect(served.answers).toMatchObject([{ id: 1 }, { id: 2, result: {} }]);
    expect(served.heard.at(-1)).toBe("request 3 session/list");
  });

  it("lets a handler break without harm to what else was held back", async () => {
    const { promise, resolve } = promised<Fields>();
    const served = new Served({
      initialize: () => promise,
      request: ({ id }) => {
        if (id === 2) throw new Error("a defect");
        return true;
      },
    });
    await served.gets(initialize(1), list(2), list(3));
    resolve({});
    await served.settled();
    expect(served.answers).toMatchObject([{ id: 1 }, { id: 2, error: { code: -32603 } }]);
    expect(served.heard.at(-1)).toBe("request 3 session/list");
    expect(served.noticed).toEqual(["session/list met a defect"]);
  });

  it("is answered also when its answer cannot be written", async () => {
    const circle: Fields = {};
    circle.itself = circle;
    const served = new Served({ initialize: () => Promise.resolve(circle) });
    await served.gets(initialize(1));
    expect(served.answers).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(served.noticed).toEqual(["the answer to initialize could not be written"]);
  });
});

describe("a request", () => {
  it("is given on with its params, and answered under its id", async () => {
    const served = await new Served().initialized();
    await served.gets(
      { id: "a", method: "session/new", params: { cwd: "/" } },
      { id: 7, method: "session/list" },
    );
    expect(served.calls.map(({ params }) => params)).toEqual([{ cwd: "/" }, {}]);
    served.calls[1]?.reply({ seven: true });
    served.calls[0]?.fail(invalidParams("No.", { field: "cwd" }));
    await served.settled();
    expect(served.answers).toEqual([
      { jsonrpc: "2.0", id: 7, result: { seven: true } },
      { jsonrpc: "2.0", id: "a", error: { code: -32602, message: "No.", data: { field: "cwd" } } },
    ]);
  });

  it("is answered once, and told as answered once", async () => {
    const served = await new Served().initialized();
    await served.gets(list(1));
    const [call] = served.calls;
    call?.reply({});
    call?.reply({});
    call?.fail(new Error("No."));
    call?.relay(Buffer.from('{"id":5,"result":{}}'));
    await served.settled();
    expect(served.answers).toHaveLength(1);
    expect(served.heard).toEqual(["request 1 session/list", "answered 1", "all answered"]);
  });

  it("may be answered with an agent's line", async () => {
    const served = await new Served().initialized();
    await served.gets(list("x"));
    served.calls[0]?.relay(Buffer.from('{"jsonrpc":"2.0","id":4,"result":{"n":1.0}}'));
    await served.settled();
    expect(served.wrote).toBe('{"jsonrpc":"2.0","id":"x","result":{"n":1.0}}\n');
    expect(served.side.owesAnswers).toBe(false);
  });

  it("of a method that is not there is -32601, naming it", async () => {
    const served = await new Served({ request: () => false }).initialized();
    await served.gets({ id: 1, method: "session/dance" }, { id: 2, method: "$/dance" });
    expect(served.answers).toMatchObject([
      { id: 1, error: { code: -32601, data: { method: "session/dance" } } },
      { id: 2, error: { code: -32601, data: { method: "$/dance" } } },
    ]);
  });

  it("whose params are no object is -32602; none are an empty object", async () => {
    const served = await new Served().initialized();
    await served.gets({ ...list(1), params: [] }, { ...list(2), params: "x" }, { ...list(3), params: null });
    expect(served.answers).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, error: { code: -32602 } },
    ]);
    expect(served.calls.map(({ params }) => params)).toEqual([{}]);
  });

  it("session/cancel is none: -32600", async () => {
    const served = await new Served().initialized();
    await served.gets({ id: 1, method: "session/cancel", params: { sessionId: "s" } });
    expect(served.answers).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  });

  it("that meets a defect is answered without the defect's words, which are for the log", async () => {
    const served = new Served({
      request: () => {
        throw new Error("secret words");
      },
    });
    await (await served.initialized()).gets(list(1), list(2));
    expect(served.answers).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, error: { code: -32603 } },
    ]);
    expect(served.wrote).not.toContain("secret");
    expect(served.noticed).toHaveLength(2);
  });

  it.each(["reply", "fail"] as const)(
    "whose answer cannot be written is answered all the same (%s)",
    async (how) => {
      const circle: Fields = {};
      circle.itself = circle;
      const served = await new Served().initialized();
      await served.gets(list(1));
      served.calls[0]?.[how](how === "reply" ? circle : new RpcError(5, "No.", circle));
      await served.settled();
      expect(served.answers).toMatchObject([{ id: 1, error: { code: -32603 } }]);
      expect(served.heard).toContain("answered 1");
      expect(served.noticed).toHaveLength(1);
    },
  );

  it("may be taken back while it is open, by an id of its type", async () => {
    const served = await new Served().initialized();
    const cancel = (requestId: unknown) => ({ method: "$/cancel_request", params: { requestId } });
    await served.gets(list(1), cancel("1"), cancel({}), cancel(undefined), cancel(1));
    served.calls[0]?.reply({});
    await served.gets(cancel(1));
    expect(served.heard).toEqual(["request 1 session/list", "cancelled 1", "answered 1", "all answered"]);
  });

  it("beyond ten thousand open ones is refused; with an answer there is room again", async () => {
    const served = await new Served().initialized();
    await served.gets(...Array.from({ length: 10_001 }, (_, id) => list(id)));
    expect(served.answers).toMatchObject([{ id: 10_000, error: { code: -32600 } }]);
    served.calls[0]?.reply({});
    await served.gets(list("next"));
    expect(served.calls.at(-1)?.id).toBe("next");
  });
});

describe("a notification", () => {
  it("is given on, and any that begins with $/ too; params that are no object are nonsense", async () => {
    const served = await new Served().initialized();
    await served.gets(
      { method: "session/cancel", params: { sessionId: "s" } },
      { method: "$/unknown" },
      { method: "bad", params: [1] },
    );
    expect(served.heard).toEqual([
      'notification session/cancel {"sessionId":"s"}',
      "notification $/unknown {}",
    ]);
    expect(served.wrote).toBe("");
  });
});

describe("a line that is no message", () => {
  it("is answered under null, and the connection stays", async () => {
    const served = await new Served().initialized();
    await served.gets("nonsense\n", "[]\n", '{"jsonrpc":"2.0","id":1.5,"method":"m"}\n', list(1));
    expect(served.answers).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
    ]);
    expect(served.calls).toHaveLength(1);
  });

  it("and was meant as an answer is not answered", async () => {
    const served = await new Served().initialized();
    await served.gets({ id: 1 }, { id: 1, result: 1, error: 1 }, { id: 99, result: {} });
    expect(served.wrote).toBe("");
    expect(served.noticed).toHaveLength(3);
  });
});

describe("the end of a client", () => {
  it("leaves its open requests to be answered, and says when all are", async () => {
    const served = await new Served().initialized();
    await served.gets(list(1), list(2));
    served.far.end();
    await served.settled();
    expect(served.heard.at(-1)).toBe("ended");
    expect(served.side.owesAnswers).toBe(true);
    for (const call of served.calls) call.reply({});
    await served.settled();
    expect(served.answers).toHaveLength(2);
    expect(served.heard.slice(-3)).toEqual(["answered 1", "answered 2", "all answered"]);
  });

  it("does not stop the time that it has for its initialize", async () => {
    const served = new Served();
    served.far.end();
    await served.settled();
    served.clock.advance(10_000);
    await served.settled();
    expect(served.wrote).toMatch(/\(end\)\n$/);
  });
});

describe("a client that asks and does not read", () => {
  const long = { text: "x".repeat(400_000) };
  const asking = async () => {
    const served = new Served({
      request: (call) => {
        call.reply(long);
        return true;
      },
    });
    await served.initialized();
    served.far.pause();
    return served;
  };

  it("is not read any more once its answers pile up, and is when it has read them", async () => {
    const served = await asking();
    for (let id = 0; id < 20; id += 1) await served.gets(list(id));
    const taken = served.calls.length;
    expect(taken).toBeLessThan(5);
    expect(served.side.peer.transport.backlog).toBeLessThan(2_000_000);
    served.far.resume();
    await served.settled();
    await expect.poll(() => served.answers.length).toBe(20);
  });

  it("is read as long as they are few", async () => {
    const served = await asking();
    for (let id = 0; id < 2; id += 1) await served.gets(list(id));
    await served.gets({ method: "session/cancel", params: {} });
    expect(served.heard.at(-1)).toBe("notification session/cancel {}");
  });
});

describe("a failure of the hall's own", () => {
  const answerTo = async (params: Fields, error: unknown) => {
    const served = await new Served().initialized(params);
    await served.gets(list(1));
    served.calls[0]?.fail(error);
    await served.settled();
    return served.answers[0]?.error;
  };
  const full = failure("queue_full", "Too many.", { limit: 16 });

  it("is -32000 with its kind", async () => {
    expect(await answerTo({}, full)).toEqual({
      code: -32000,
      message: "Too many.",
      data: { kind: "queue_full", limit: 16 },
    });
  });

  it.each<[string, Fields]>([
    ["by its capabilities", { clientCapabilities: { auth: {} } }],
    ["by a capability that Zed sends", { clientCapabilities: { _meta: { "terminal-auth": true } } }],
    ["by its params", { _meta: { "terminal-auth": true } }],
  ])(
    "is -32603 to a client with a login of its own, %s; an agent's own -32000 stays",
    async (_name, params) => {
      expect(await answerTo(params, full)).toMatchObject({ code: -32603, data: { kind: "queue_full" } });
      expect(await answerTo(params, new RpcError(-32000, "Log in."))).toEqual({
        code: -32000,
        message: "Log in.",
      });
    },
  );
});

describe("what a client can do", () => {
  const nothing = {
    readTextFile: false,
    writeTextFile: false,
    terminal: false,
    elicitationForm: false,
    elicitationUrl: false,
    login: false,
  };

  it("is what it said", () => {
    const said = {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      elicitation: { form: {}, url: {} },
      auth: {},
    };
    const all = Object.fromEntries(Object.keys(nothing).map((ability) => [ability, true]));
    expect(clientCapabilities({ clientCapabilities: said })).toEqual(all);
  });

  it("is nothing that it did not say, or said wrongly", () => {
    const wrong = oneof(constantFrom("true", 1, "yes", null, [], [true]), jsonValue());
    const parts = constantFrom("fs", "terminal", "elicitation", "auth", "_meta", "other");
    assert(
      property(oneof(wrong, dictionary(parts, wrong)), (said) => {
        const { terminal, auth, elicitation } = Object(said);
        const isObject = (value: unknown): boolean =>
          typeof value === "object" && value !== null && !Array.isArray(value);
        expect(clientCapabilities({ clientCapabilities: said })).toEqual({
          ...nothing,
          terminal: terminal === true,
          login: isObject(auth),
          elicitationForm: isObject(Object(elicitation).form),
          elicitationUrl: isObject(Object(elicitation).url),
          readTextFile: Object(Object(said).fs).readTextFile === true,
          writeTextFile: Object(Object(said).fs).writeTextFile === true,
        });
      }),
    );
  });
});
