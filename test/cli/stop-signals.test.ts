import { describe, expect, it } from "vitest";
import { connectSocket } from "../../src/wire/tcp.ts";
import { AcpClient } from "../doubles/acp-client.ts";
import { gate } from "../doubles/gate.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { Household, leftOf } from "./household.ts";
import type { Running } from "./running.ts";

/** What a machine with work of its own may add, in ms. */
const LOADED_MS = 3_000;
const key = (name: string) => ({ "hall/turn": name });

/** A hall of its own process, with one slot, and a client at its socket that has a session. */
async function stage(ways: Ways, drain: string, grace: string) {
  const home = new Household();
  const roster = home.roster({ only: { ways } }, { cancel_grace: grace });
  const hall = await home.serve(roster, "--drain", drain);
  const join = async (): Promise<AcpClient> => {
    const client = new AcpClient(
      await connectSocket({ path: home.halls[0]?.addresses.unix ?? "" }),
      home.work,
    );
    await client.initialize();
    return client;
  };
  const client = await join();
  const { sessionId } = await client.newSession();
  return { home, roster, hall, client, sessionId, join };
}

/** Tells the hall to stop; answers how long it took from then on, in ms. */
async function timeToEnd(hall: Running, ...signals: NodeJS.Signals[]): Promise<number> {
  const begun = performance.now();
  for (const signal of signals) {
    hall.signal(signal);
    await hall.says("hall.stopping");
  }
  expect((await hall.finished).code).toBe(0);
  return performance.now() - begun;
}

describe("a hall that is told to stop by a signal", () => {
  it("lets a turn end in its time, and begins nothing new", async () => {
    const { home, hall, client, sessionId } = await stage({}, "60s", "5s");
    const point = gate();
    const turn = client.prompt(sessionId, [point.wait, { say: "done" }]);
    await point.reached();
    const ended = timeToEnd(hall, "SIGTERM");
    await hall.says("hall.stopping");
    await expect(client.prompt(sessionId, "more")).rejects.toMatchObject({ data: { kind: "shutting_down" } });
    point.open();
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("done");
    await ended;
    expect(leftOf(home)).toEqual([]);
  });

  it("ends an agent that ignores everything within drain, ladder and two seconds", async () => {
    const deaf: Ways = { ignoreCancel: true, ignoreSigint: true, ignoreSigterm: true, ignoreEof: true };
    const { home, hall, client, sessionId, join } = await stage(deaf, "500ms", "500ms");
    const idle = await join();
    await idle.newSession();
    const point = gate();
    const turn = client.prompt(sessionId, [{ spawn: { setsid: true, ignoreSignals: true } }, point.wait]);
    await point.reached();
    const took = timeToEnd(hall, "SIGTERM");
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(await took).toBeLessThan(500 + 3 * 500 + 2_000 + LOADED_MS);
    expect(leftOf(home)).toEqual([]);
  });

  it("ends at once when it is told a second time", async () => {
    const deaf: Ways = { ignoreCancel: true, ignoreSigint: true, ignoreSigterm: true, ignoreEof: true };
    const { home, hall, client, sessionId } = await stage(deaf, "1h", "1h");
    const point = gate();
    const turn = client.prompt(sessionId, [point.wait]);
    await point.reached();
    const took = timeToEnd(hall, "SIGTERM", "SIGTERM");
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(await took).toBeLessThan(2_000 + LOADED_MS);
    expect(leftOf(home)).toEqual([]);
  });

  it("leaves a prompt with a key to the next hall, and that one runs it", async () => {
    const { home, roster, hall, client, sessionId, join } = await stage({}, "0s", "5s");
    const point = gate();
    const turn = client.prompt(sessionId, [point.wait]);
    await point.reached();
    const waiting = client.prompt(sessionId, "later", key("k"));
    const plain = client.prompt(sessionId, "never");
    await client.saidMeanwhile();
    const took = timeToEnd(hall, "SIGTERM");
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    await expect(plain).rejects.toMatchObject({ data: { kind: "shutting_down" } });
    await expect(waiting).rejects.toThrow("was not answered");
    expect(await took).toBeLessThan(3_000 + LOADED_MS);
    await home.serve(roster);
    const back = await join();
    expect(await back.prompt(sessionId, "later", key("k"))).toMatchObject({ stopReason: "end_turn" });
    const other = await join();
    await other.load(sessionId);
    expect(other.userTexts(sessionId)).toMatch(/later$/);
  });
});
