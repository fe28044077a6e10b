import { assert, asyncProperty, boolean, constantFrom, integer, array as sequence, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryPair } from "../../src/wire/memory.ts";
import { Peer, type PeerReceiver, RequestFailed } from "../../src/wire/peer.ts";
import { Endpoint } from "./endpoint.ts";

const request = (id: unknown, method = "m", params: unknown = {}) => ({ id, method, params });

describe("what a peer hears", () => {
  it("comes in the order in which it was sent, and once a read", async () => {
    const end = new Endpoint();
    const [a, b] = [end.asks("a"), end.asks("b")];
    await end.gets(
      { method: "n1" },
      { id: b, result: 1 },
      request(7),
      { id: a, result: 2 },
      { method: "n2" },
    );
    await end.gets({ method: "n3" });
    expect(end.heard).toEqual([
      "notification n1",
      "settled b 1",
      "request 7 m",
      "settled a 2",
      "notification n2",
      "read",
      "notification n3",
      "read",
    ]);
  });

  it("comes in the very pass in which it was read: nothing overtakes an answer", async () => {
    const end = new Endpoint();
    const seen: string[] = [];
    const id = end.asks("ask");
    end.onMessage = (what) => {
      if (what === "settled ask") seen.push(...end.heard);
    };
    await end.gets({ method: "before" }, { id, result: null }, { method: "behind" });
    expect(seen).toEqual(["notification before", "settled ask null"]);
  });

  it("may lack its last newline when the other side ends", async () => {
    const end = new Endpoint();
    await end.gets('{"jsonrpc":"2.0","id":"x","method":"last"}');
    expect(end.heard).toEqual(["read"]);
    end.far.end();
    await end.settled();
    expect(end.heard).toEqual(["read", 'request "x" last', "read", "ended"]);
  });

  it("is nothing behind a line that is too long", async () => {
    const end = new Endpoint(50);
    await end.gets({ method: "short" }, { method: "m".repeat(50) }, { method: "short" });
    await end.gets({ method: "short" });
    expect(end.heard).toEqual(["notification short", "too long 50", "read", "read"]);
  });

  it("may be longer from when the limit was raised", async () => {
    const end = new Endpoint(50);
    end.peer.lineLimit = 500;
    await end.gets({ method: "m".repeat(100) });
    expect(end.heard).toContain(`notification ${"m".repeat(100)}`);
  });

  it("is nothing once it was closed, and the other side hears of the end", async () => {
    const end = new Endpoint();
    end.peer.notify("bye", {});
    end.peer.close();
    await end.gets({ method: "late" });
    expect(end.heard).toEqual(["read"]);
    expect(end.wrote).toMatch(/"bye".*\n\(end\)$/);
  });
});

describe("a request of the other side", () => {
  it.each([["1"], [1], [0], [-5], [null], [""], ["ünï"]])(
    "is answered under its id, of its type: %j",
    async (id) => {
      const end = new Endpoint();
      await end.gets(request(id));
      end.open.reply({ fine: true });
      await end.settled();
      expect(end.messages).toEqual([{ jsonrpc: "2.0", id, result: { fine: true } }]);
    },
  );

  it("is answered once: what comes after the first answer is dropped", async () => {
    const end = new Endpoint();
    await end.gets(request(1));
    const { open } = end;
    open.fail({ code: -1, message: "No." });
    open.reply({});
    open.fail({ code: -2, message: "No." });
    open.relay(Buffer.from('{"jsonrpc":"2.0","id":9,"result":1}'));
    await end.settled();
    expect(end.messages).toEqual([{ jsonrpc: "2.0", id: 1, error: { code: -1, message: "No." } }]);
  });

  it("is answered with an empty object where there is nothing to say", async () => {
    const end = new Endpoint();
    await end.gets(request(1), request(2));
    end.open.reply(undefined);
    end.open.reply(null);
    await end.settled();
    expect(end.messages).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: null },
    ]);
  });

  it("under an id that is in flight is refused under it; the first is unaffected", async () => {
    const end = new Endpoint();
    await end.gets(request(1, "first"), request("1", "another id"), request(1, "again"));
    expect(end.heard).toEqual(["request 1 first", 'request "1" another id', "read"]);
    expect(end.messages).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    end.open.reply("first");
    await end.settled();
    expect(end.messages[1]).toMatchObject({ id: 1, result: "first" });
    await end.gets(request(1, "when it is free"));
    expect(end.heard).toContain("request 1 when it is free");
  });

  it("is open until it is answered", async () => {
    const end = new Endpoint();
    await end.gets(request("a"), request("b"));
    expect([...end.peer.open].map(({ id }) => id)).toEqual(["a", "b"]);
    end.peer.openRequest("a")?.reply({});
    expect([...end.peer.open].map(({ id }) => id)).toEqual(["b"]);
    expect(end.peer.openRequest("a")).toBeUndefined();
  });

  it("may still be answered when the other side has ended", async () => {
    const end = new Endpoint();
    await end.gets(request(1));
    end.far.end();
    await end.settled();
    end.open.reply("late");
    await end.settled();
    expect(end.messages).toMatchObject([{ id: 1, result: "late" }]);
  });

  it("is answered with another peer's line, every byte but the id as it came", async () => {
    const end = new Endpoint();
    await end.gets(request("mine"), request("other"));
    const [mine, other] = end.requests;
    mine?.relay(Buffer.from('{ "result" : {"n":1.50, "id":4} ,"id": 17,"x":"\\u00e9"}'));
    other?.relay(Buffer.from('{"result":{}}'));
    await end.settled();
    expect(end.wrote).toBe('{ "result" : {"n":1.50, "id":4} ,"id": "mine","x":"\\u00e9"}\n{"result":{}}\n');
  });

  it("is still to be answered when an answer could not be written", async () => {
    const end = new Endpoint();
    await end.gets(request(1));
    const { open } = end;
    const circle: { itself?: unknown } = {};
    circle.itself = circle;
    expect(() => open.reply(circle)).toThrow(TypeError);
    expect(open.answered).toBe(false);
    open.reply("after all");
    await end.settled();
    expect(end.messages).toMatchObject([{ id: 1, result: "after all" }]);
  });
});

describe("a request of ours", () => {
  it("has an id of its own, whatever the other side's requests are called", async () => {
    const end = new Endpoint();
    await end.gets(request(0), request(1));
    expect([end.asks("a"), end.asks("b")]).toEqual([0, 1]);
    await end.gets({ id: 0, result: "to a" });
    expect(end.heard).toContain('settled a "to a"');
    expect([...end.peer.open]).toHaveLength(2);
  });

  it("is settled by an answer under its id, of its type, once", async () => {
    const end = new Endpoint();
    end.asks("a");
    await end.gets({ id: "0", result: 1 }, { id: 0, result: 2 }, { id: 0, result: 3 }, { id: 99, result: 4 });
    expect(end.heard).toEqual(['stray "0"', "settled a 2", "stray 0", "stray 99", "read"]);
  });

  it("is settled by what was meant as its answer and is none: no other will come", async () => {
    const end = new Endpoint();
    end.asks("a");
    await end.gets('{"jsonrpc":"2.0","id":0,"error":"No."}\n', { id: 0, result: "after all" });
    expect(end.heard).toEqual(["fault -32600", "settled a error -32603 (ours)", "stray 0", "read"]);
    expect(end.wrote).not.toContain("error");
  });

  it("may be taken back: an answer that still comes is passed over in silence, once", async () => {
    const end = new Endpoint();
    const [a, b] = [end.asks("a"), end.asks("b")];
    end.peer.forget(a);
    end.peer.forget(a);
    await end.gets({ id: a, result: 1 }, { id: b, result: 2 }, { id: a, result: 3 });
    end.peer.forget(b);
    await end.gets({ id: b, result: 4 });
    expect(end.heard).toEqual(["settled b 2", "stray 0", "read", "stray 1", "read"]);
    expect(end.peer.waits).toBe(false);
  });

  it("that was taken back long ago is as good as never asked", async () => {
    const end = new Endpoint();
    for (let count = 0; count < 1_001; count += 1) end.peer.forget(end.asks("m"));
    await end.gets({ id: 0, result: 1 }, { id: 1, result: 1 });
    expect(end.heard).toEqual(["stray 0", "read"]);
  });

  it("may be made of another peer's line: our id put in, every other byte as it came", async () => {
    const end = new Endpoint();
    const line = Buffer.from(
      '{"id":"theirs", "jsonrpc":"2.0","method":"m","params":{"sessionId":"s","n":1.0}}',
    );
    const id = end.peer.relay(line, () => {});
    await end.settled();
    expect(id).toBe(0);
    expect(end.wrote).toBe('{"id":0, "jsonrpc":"2.0","method":"m","params":{"sessionId":"s","n":1.0}}\n');
  });

  it.each(["end", "destroy"] as const)("is lost when the other side goes (%s), once", async (how) => {
    const end = new Endpoint();
    end.asks("a");
    end.far[how]();
    await end.settled();
    end.peer.destroy();
    await end.settled();
    expect(end.heard.filter((what) => what.startsWith("settled"))).toEqual(["settled a lost"]);
    expect(end.heard.at(-1)).toBe("closed");
  });

  it("is lost at once, but not before it returns, when the other side has gone", async () => {
    const end = new Endpoint();
    end.far.end();
    await end.settled();
    end.asks("late");
    expect(end.heard).not.toContain("settled late lost");
    await end.settled();
    expect(end.heard).toContain("settled late lost");
    expect(end.wrote).not.toContain("late");
  });

  it("is settled before the other side's end is told", async () => {
    const end = new Endpoint();
    end.asks("a");
    end.far.end();
    await end.settled();
    expect(end.heard).toEqual(["read", "settled a lost", "ended"]);
  });

  it("rejects, where it is asked for as a promise, with what went wrong", async () => {
    const end = new Endpoint();
    const [refused, lost, answered] = [end.peer.ask("a", {}), end.peer.ask("b", {}), end.peer.ask("c", {})];
    const outcomes = Promise.allSettled([refused, lost, answered]);
    await end.gets({ id: 0, error: { code: 5, message: "Not you." } }, { id: 2, result: [1] });
    end.far.end();
    expect(await outcomes).toMatchObject([
      {
        reason: { name: "RequestFailed", method: "a", message: "Not you.", error: { code: 5 }, lost: false },
      },
      { reason: expect.any(RequestFailed) },
      { value: [1] },
    ]);
    await expect(lost).rejects.toMatchObject({ lost: true, method: "b" });
  });
});

describe("a line that is no message", () => {
  it("is told to the receiver and answered by nobody else", async () => {
    const end = new Endpoint();
    await end.gets("nonsense\n", "[]\n", '{"jsonrpc":"2.0","id":1}\n', { method: "fine" });
    expect(end.heard).toEqual(["fault -32700", "fault -32600", "fault -32600", "notification fine", "read"]);
    expect(end.wrote).toBe("");
  });

  it("may be complained about", async () => {
    const end = new Endpoint();
    end.peer.complain(null, { code: -32700, message: "No." });
    await end.settled();
    expect(end.messages).toEqual([{ jsonrpc: "2.0", id: null, error: { code: -32700, message: "No." } }]);
  });
});

describe("a receiver that throws", () => {
  const defect = new Error("secret words");
  const breaksAt = (end: Endpoint, place: string): void => {
    end.onMessage = (what) => {
      if (what.startsWith(place)) throw defect;
    };
  };

  it.each(["request", "notification", "stray", "fault", "settled", "read"])(
    "at a %s drops that alone, and is told so",
    async (place) => {
      const end = new Endpoint();
      breaksAt(end, place);
      const id = end.asks("asked");
      await end.gets({ method: "n" }, request(1), { id, result: 1 }, { id: 99, result: 1 }, "nonsense\n");
      await end.gets({ method: "the last" });
      expect(end.broken[0]).toBe(defect);
      expect(end.heard.slice(-2)).toEqual(["notification the last", "read"]);
    },
  );

  it("at a request leaves it answered with an internal error, whose words tell nothing", async () => {
    const end = new Endpoint();
    breaksAt(end, "request");
    await end.gets(request("r"));
    expect(end.messages).toMatchObject([{ id: "r", error: { code: -32603 } }]);
    expect(end.wrote).not.toContain("secret");
    expect([...end.peer.open]).toEqual([]);
  });

  it("at a request that it had answered leaves it at that answer", async () => {
    const end = new Endpoint();
    end.onMessage = () => {
      end.requests[0]?.reply("answered");
      throw defect;
    };
    await end.gets(request(1));
    expect(end.messages).toEqual([{ jsonrpc: "2.0", id: 1, result: "answered" }]);
  });

  it("at a lost request keeps no other from being settled, nor the end from being told", async () => {
    const end = new Endpoint();
    for (const method of ["a", "b", "c"]) end.asks(method);
    breaksAt(end, "settled");
    end.far.destroy();
    await end.settled();
    expect(end.heard.filter((what) => what.startsWith("settled"))).toHaveLength(3);
    expect(end.heard.at(-1)).toBe("closed");
    expect(end.broken).toEqual([defect, defect, defect]);
  });

  it.each(["ended", "closed"])("when it is %s throws at nobody else", async (place) => {
    const end = new Endpoint();
    breaksAt(end, place);
    end.far.end();
    end.peer.close();
    await end.settled();
    expect(end.broken).toEqual([defect]);
    expect(end.peer.closed).toBe(true);
  });
});

describe("when it is closed, a peer", () => {
  it("has no open requests any more, and drops what they are answered", async () => {
    const end = new Endpoint();
    await end.gets(request(1));
    const { open } = end;
    end.far.destroy();
    await end.settled();
    expect([...end.peer.open]).toEqual([]);
    open.reply({});
    end.peer.notify("n", {});
    end.peer.send(Buffer.from("x\n"));
    await end.settled();
    expect(end.wrote).toBe("");
  });
});

describe("two peers", () => {
  const quiet: PeerReceiver = {
    request: () => {},
    notification: () => {},
    fault: () => {},
    stray: () => {},
    readEnd: () => {},
    tooLong: () => {},
    ended: () => {},
    closed: () => {},
    broke: (error) => {
      throw error;
    },
  };

  it("answer each of the other's requests exactly once, each with its own answer, in any order", async () => {
    const plan = sequence(
      tuple(boolean(), constantFrom("now", "later", "never"), integer({ min: 0, max: 9 })),
      {
        maxLength: 40,
      },
    );
    await assert(
      asyncProperty(plan, async (steps) => {
        const [left, right] = memoryPair();
        const waiting: { weight: number; answer: () => void }[] = [];
        const receiver: PeerReceiver = {
          ...quiet,
          request: (incoming) => {
            const { number, when, weight } = Object(incoming.params);
            const answer = (): void => incoming.reply(number);
            if (when === "now") answer();
            else if (when === "later") waiting.push({ weight, answer });
          },
        };
        const peers = [new Peer(left, 1_000, receiver), new Peer(right, 1_000, receiver)] as const;
        for (const peer of peers) peer.start();
        const settled: string[][] = steps.map(() => []);
        for (const [number, [side, when, weight]] of steps.entries()) {
          peers[side ? 0 : 1].request("m", { number, when, weight }, (reply) => {
            settled[number]?.push(reply.ok ? `${reply.result}` : "lost");
          });
        }
        const everythingArrived = async (): Promise<void> => {
          for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
        };
        await everythingArrived();
        for (const { answer } of waiting.sort((a, b) => a.weight - b.weight)) answer();
        await everythingArrived();
        peers[0].destroy();
        await everythingArrived();
        expect(settled).toEqual(steps.map(([, when], number) => [when === "never" ? "lost" : `${number}`]));
      }),
    );
  });
});
