import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { converse, hallWith, joined, promptsTo } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import type { TestHall } from "../doubles/start-hall.ts";

const MIB = 1024 * 1024;
const flood = (mebibytes: number): Step => ({ flood: { bytes: mebibytes * MIB, size: 64 * 1024 } });

const journalOf = (hall: TestHall, sessionId: string): Buffer =>
  readFileSync(join(hall.state, "sessions", sessionId, "updates.jsonl"));

const question: Step = { ask: { tool: { id: "t" } } };

/** Another client that has read what there is, and reads no further. */
async function stuck(hall: TestHall, sessionId: string) {
  const client = await joined(hall, sessionId);
  client.stopReading();
  return client;
}

describe("a client that does not read", () => {
  it("has its question, its load's answer and its prompt's answer in order, far behind as it is", async () => {
    const { hall, client, sessionId } = await converse();
    const watcher = await joined(hall, sessionId);
    const since = client.received.length;
    client.stopReading();
    const [promptId, loadId] = [client.nextId, client.nextId + 1];
    const turn = client.prompt(sessionId, [flood(24), { say: "flooded" }, question, { say: "the end" }]);
    await watcher.hears("flooded");
    const asked = await watcher.question();
    const load = client.load(sessionId);
    asked.select("allow");
    await watcher.hears("the end");
    client.readAgain();
    await Promise.all([turn, load]);
    const { messages } = client;
    const place = (what: string, is: (message: (typeof messages)[number]) => boolean): number => {
      const found = messages.findLastIndex((message, index) => index >= since && is(message));
      expect(found, what).toBeGreaterThan(-1);
      return found;
    };
    const says = (text: string) =>
      place(text, ({ params }) => JSON.stringify(params ?? {}).includes(`"${text}"`));
    const [loaded, answered] = [loadId, promptId].map((id) =>
      place(`${id}`, (one) => one.id === id && !one.method),
    );
    const order = [says("flooded"), loaded, says("the end"), answered];
    expect(order).toEqual([...order].sort((a = 0, b = 0) => a - b));
    const held = client.updateBytes(sessionId);
    const user = journalOf(hall, sessionId).indexOf("\n") + 1;
    // Its own words are left out.
    const journal = journalOf(hall, sessionId).subarray(user);
    expect(held.subarray(held.length - journal.length).equals(journal)).toBe(true);
  });

  it("makes a question that is only for it expire, and the turn go on", async () => {
    const { hall, client, sessionId } = await converse({}, { slot: { permission: { timeout: "300ms" } } });
    const point = gate();
    client.stopReading();
    const turn = client.prompt(sessionId, [flood(16), question, point.wait]);
    await point.reached();
    point.open();
    client.readAgain();
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toContain("asked: selected reject");
    expect(client.messages.some(({ method }) => method === "session/request_permission")).toBe(false);
    expect(hall.log.join("\n")).toContain("question.expired");
  });

  it("holds nobody up, be it one of fifty, and misses nothing", async () => {
    const { hall, client, sessionId } = await converse();
    const fifty = await Promise.all(Array.from({ length: 50 }, () => stuck(hall, sessionId)));
    const before = process.memoryUsage().arrayBuffers;
    expect(await client.prompt(sessionId, [flood(8)])).toMatchObject({ stopReason: "end_turn" });
    // What fifty of them have not read would be 400 MiB; a connection keeps 256 KiB and a batch.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * MIB);
    const [one, two, ...others] = fifty;
    for (const other of others) other.destroy();
    const journal = journalOf(hall, sessionId);
    for (const slow of [one, two]) {
      slow?.readAgain();
      await expect
        .poll(() => slow?.updateBytes(sessionId).equals(journal), { timeout: 20_000, interval: 50 })
        .toBe(true);
    }
  });

  it("may read byte by byte: it is served at its pace, and the others at theirs", async () => {
    const { hall, client, sessionId } = await converse();
    await client.prompt(sessionId, [flood(4)]);
    const [host = "", port] = (hall.service.addresses.tcp ?? "").split(/:(?=\d+$)/);
    const socket = connect({ host, port: Number(port) });
    const ask = (id: number, method: string, params: object): void => {
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    };
    ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
    ask(2, "session/load", { sessionId, cwd: hall.work, mcpServers: [] });
    const parts: Buffer[] = [];
    const take = (bytes: number | undefined): void => {
      const part: Buffer | null = bytes === undefined ? socket.read() : socket.read(bytes);
      if (part) parts.push(part);
    };
    for (let byte = 0; byte < 20; byte += 1) {
      await expect.poll(() => socket.readableLength, { timeout: 15_000, interval: 1 }).toBeGreaterThan(0);
      take(1);
      if (byte % 5 === 0)
        expect(await client.prompt(sessionId, `turn ${byte}`)).toMatchObject({ stopReason: "end_turn" });
    }
    socket.on("readable", () => take(undefined));
    take(undefined);
    const updates = (): Buffer => {
      const lines = Buffer.concat(parts).toString().split("\n").slice(0, -1);
      return Buffer.from(
        lines
          .filter((line) => line.includes('"session/update"'))
          .join("\n")
          .concat("\n"),
      );
    };
    await expect
      .poll(() => updates().equals(journalOf(hall, sessionId)), { timeout: 20_000, interval: 100 })
      .toBe(true);
    socket.destroy();
  });
});

describe("more than may wait", () => {
  it("of an agent's questions, counted in bytes, is refused at once", async () => {
    const { hall, client, sessionId } = await converse();
    const big = { ask: { tool: { id: "t", rawInput: { text: "x".repeat(9 * MIB) } } } };
    const together: Step[] = [{ together: [[big], [big], [big]] }];
    const turn = client.prompt(sessionId, together);
    const first = await client.question();
    const refused = (): number => client.texts(sessionId).split("asked: selected reject").length - 1;
    await expect.poll(refused, { timeout: 20_000 }).toBe(2);
    first.select("allow");
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(hall.log.join("\n")).toContain("one more was refused");
  });

  it("of clients is turned away, though all say initialize at once", async () => {
    const hall = await hallWith({ initializeDelay: 200 }, { roster: { limits: { clients: 2 } } });
    const clients = await Promise.all(Array.from({ length: 5 }, () => hall.connect()));
    const answers = await Promise.allSettled(clients.map((client) => client.initialize()));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    clients[answers.findIndex(({ status }) => status === "fulfilled")]?.destroy();
    await expect.poll(() => hall.service.hall.clients.size, { timeout: 15_000 }).toBe(4);
    const another = await hall.connect();
    expect(await another.initialize()).toMatchObject({ protocolVersion: 1 });
    expect(promptsTo(hall)).toEqual([]);
  });
});
