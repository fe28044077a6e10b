import { describe, expect, it } from "vitest";
import { ClientSide } from "../../src/acp/client-side.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import type { IncomingRequest, Reply } from "../../src/wire/peer.ts";
import type { Transport } from "../../src/wire/transport.ts";

/** An agent's bare end, and what the side that drives it heard of it. */
class Driven {
  readonly side: ClientSide;
  readonly agent: Transport;
  readonly heard: string[] = [];
  readonly requests: IncomingRequest[] = [];
  readonly lines: string[] = [];
  wrote = "";

  constructor(lineLimit = 1_000, knows = true) {
    const [near, agent] = memoryPair();
    this.agent = agent;
    agent.start({
      chunk: (bytes) => {
        this.wrote += bytes.toString();
      },
      ended: () => {},
      closed: () => {},
    });
    this.side = new ClientSide(near, lineLimit, {
      update: (sessionId, _params, line) => {
        this.heard.push(`update ${sessionId}`);
        this.lines.push(line.toString());
      },
      request: (request) => {
        this.heard.push(`request ${request.method}`);
        this.requests.push(request);
        return knows;
      },
      withdrawn: ({ id }) => this.heard.push(`withdrawn ${JSON.stringify(id)}`),
      notification: (method) => this.heard.push(`notification ${method}`),
      noise: (line) => this.heard.push(`noise ${line}`),
      tooLong: (limit) => this.heard.push(`too long ${limit}`),
      readEnd: () => this.heard.push("read"),
      ended: () => this.heard.push("ended"),
      noticed: (what) => this.heard.push(what),
    });
    this.side.start();
  }

  async says(...messages: (string | object)[]): Promise<void> {
    const lines = messages.map((message) =>
      typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }),
    );
    this.agent.write(Buffer.from(`${lines.join("\n")}\n`));
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  }
}

const update = (sessionId: unknown) => ({ method: "session/update", params: { sessionId, update: {} } });

describe("driving an agent", () => {
  it("hears updates with their lines as they came, in order with everything else", async () => {
    const driven = new Driven();
    const line = '{"method":"session/update", "jsonrpc":"2.0","params":{"update":{},"sessionId":"s"}}';
    await driven.says(update("a"), line, { method: "_x", params: {} }, { id: 1, method: "fs/read" });
    expect(driven.heard).toEqual(["update a", "update s", "notification _x", "request fs/read", "read"]);
    expect(driven.lines[1]).toBe(line);
  });

  it("takes an update that names no session for a notification like any other, and one without params for none", async () => {
    const driven = new Driven();
    await driven.says(update(7), { method: "session/update" }, { method: "session/update", params: [] });
    expect(driven.heard).toEqual(["notification session/update", "read"]);
  });

  it("answers a request of a method that is not there with -32601", async () => {
    const driven = new Driven(1_000, false);
    await driven.says({ id: "x", method: "fs/dance" });
    expect(JSON.parse(driven.wrote)).toMatchObject({ id: "x", error: { code: -32601 } });
  });

  it("hears which open request the agent takes back", async () => {
    const driven = new Driven();
    const takeBack = (requestId: unknown) => ({ method: "$/cancel_request", params: { requestId } });
    await driven.says({ id: 1, method: "m" }, takeBack("1"), takeBack(null), takeBack(2), takeBack(1));
    expect(driven.heard).toEqual(["request m", "withdrawn 1", "read"]);
    driven.requests[0]?.reply({});
    await driven.says(takeBack(1));
    expect(driven.heard).toEqual(["request m", "withdrawn 1", "read", "read"]);
  });

  it("hears what is no message as noise, and answers none of it", async () => {
    const driven = new Driven();
    await driven.says("Loading…", "[]", { id: 99, result: {} });
    expect(driven.heard).toEqual([
      "noise Loading…",
      "noise []",
      "an answer to nothing that was asked (id 99)",
      "read",
    ]);
    expect(driven.wrote).toBe("");
  });

  it("is answered in order, and has as lost what an agent that ended did not answer", async () => {
    const driven = new Driven();
    const replies: Reply[] = [];
    driven.side.request("session/prompt", { sessionId: "s" }, (reply) => replies.push(reply));
    driven.side.request("session/new", {}, (reply) => replies.push(reply));
    driven.side.cancel("s");
    await driven.says({ id: 1, result: { sessionId: "t" } });
    driven.agent.end();
    await driven.says();
    expect(replies).toMatchObject([
      { ok: true, result: { sessionId: "t" } },
      { ok: false, lost: true },
    ]);
    expect(
      driven.wrote
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { id: 0, method: "session/prompt", params: { sessionId: "s" } },
      { id: 1, method: "session/new" },
      { method: "session/cancel", params: { sessionId: "s" } },
    ]);
    expect(driven.heard.at(-1)).toBe("ended");
  });

  it("hears of a line that is too long, and nothing behind it", async () => {
    const driven = new Driven(100);
    await driven.says(update("a"), update("b".repeat(100)), update("c"));
    expect(driven.heard).toEqual(["update a", "too long 100", "read"]);
  });
});
