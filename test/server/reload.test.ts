import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { RosterError } from "../../src/hall/roster.ts";
import { dialTls } from "../../src/wire/dial-tls.ts";
import { Authority, hasOpenssl } from "../doubles/certificates.ts";
import { converse, joined, toAgents } from "../doubles/conversation.ts";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import type { JsonObject, Ways } from "../doubles/scripted-agent/ways.ts";
import { type SlotOptions, startHall, type TestHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { place } from "./connections.ts";

const saying = (words: string): Ways => ({ script: [{ say: words }] });
const only = (ways: Ways, slot: JsonObject = {}): Record<string, SlotOptions> => ({
  scripted: { ways, ...slot },
});

/** Writes a roster, and has it taken up. */
function reload(hall: TestHall, change: Parameters<TestHall["rewrite"]>[0]) {
  hall.rewrite(change);
  return hall.service.reload.now("command");
}

const agentsOf = (hall: TestHall, slot: string) => hall.service.hall.slots.choose(slot).agents;
const said = (hall: TestHall, event: string) => hall.log.filter((line) => line.startsWith(event));

describe("a reload of a slot's definition", () => {
  it("lets the running turn end on the old one; what waited, and all that follows, has the new one", async () => {
    const { hall, client, sessionId } = await converse(saying("old"));
    const point = gate();
    const running = client.prompt(sessionId, [point.wait, { say: "the first, " }]);
    await point.reached();
    const waiting = client.prompt(sessionId, "second");
    await client.saidMeanwhile();
    const { applied, restart } = reload(hall, { slots: only(saying("new")) });
    expect(applied).toEqual([
      { key: "slots.scripted.command", note: expect.stringContaining("processes that start from now on") },
    ]);
    expect(restart).toEqual([]);
    point.open();
    expect(await running).toMatchObject({ stopReason: "end_turn" });
    expect(await waiting).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("the first, new");
    await eventually(() => agentsOf(hall, "scripted").size).toBe(1);
  });

  it("ends processes that rest at once, and their sessions go on in new ones", async () => {
    const { hall, client, sessionId } = await converse(saying("old "));
    await client.prompt(sessionId, "one");
    reload(hall, { slots: only(saying("new ")) });
    await eventually(() => agentsOf(hall, "scripted").size).toBe(0);
    await client.prompt(sessionId, "two");
    expect(client.texts(sessionId)).toBe("old new ");
  });

  it("ends no process for what none of them would notice", async () => {
    const { hall, client, sessionId } = await converse(saying("old "));
    await client.prompt(sessionId, "one");
    const before = [...agentsOf(hall, "scripted")];
    const slot = { title: "Another", concurrency: 2, idle_timeout: "1h", permission: { timeout: "1s" } };
    const { applied } = reload(hall, { slots: only(saying("old "), slot) });
    const told = applied.map(({ key, was, is }) => `${key}: ${was} → ${is}`).sort();
    expect(told).toEqual([
      "slots.scripted.concurrency: undefined → 2",
      "slots.scripted.idle_timeout: undefined → 1h",
      "slots.scripted.permission.timeout: undefined → 1s",
      "slots.scripted.title: undefined → Another",
    ]);
    await client.prompt(sessionId, "two");
    const after = [...agentsOf(hall, "scripted")];
    expect([after.length, after.every((one) => before.includes(one))]).toEqual([before.length, true]);
  });

  it("while a session is being restored gives it the new one, and its turn is not lost", async () => {
    const { hall, client, sessionId } = await converse({ ...saying("old"), initializeDelay: 300 });
    reload(hall, { slots: only({ ...saying("second"), initializeDelay: 60_000 }) });
    await eventually(() => agentsOf(hall, "scripted").size).toBe(0);
    const turn = client.prompt(sessionId, "go on");
    await eventually(() => agentsOf(hall, "scripted").size).toBe(1);
    reload(hall, { slots: only(saying("third")) });
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("third");
  });

  it("reaches a session that is opened just then by its first prompt", async () => {
    const folder = gate();
    const hall = await startHall({ slots: only({ ...saying("old"), newAfterFile: folder.path }) });
    const client = await hall.connect();
    await client.initialize();
    const opening = client.newSession();
    await eventually(() => toAgents(hall).map(({ method }) => method)).toContain("session/new");
    reload(hall, { slots: only(saying("new")) });
    folder.open();
    const { sessionId } = await opening;
    expect(await client.prompt(sessionId, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("new");
  });

  it("replaces warm processes, also one that is just starting", async () => {
    const hall = await startHall({ slots: only({ ...saying("old"), initializeDelay: 60_000 }, { warm: 1 }) });
    await eventually(() => agentsOf(hall, "scripted").size).toBe(1);
    reload(hall, { slots: only(saying("new"), { warm: 1 }) });
    const client = await hall.connect();
    const sessionId = await client.begin();
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("new");
    expect(said(hall, "no process is kept warm")).toEqual([]);
  });

  it("moves the sessions of a shared process one by one: a turn in it ends there", async () => {
    const slot = { isolation: "slot" };
    const { hall, client, sessionId } = await converse(saying("old"), { slot });
    const { sessionId: other } = await client.newSession();
    const point = gate();
    const running = client.prompt(sessionId, [point.wait, { say: "ended there" }]);
    await point.reached();
    reload(hall, { slots: only(saying("new"), slot) });
    await client.prompt(other, "hello");
    expect(client.texts(other)).toBe("new");
    expect(agentsOf(hall, "scripted").size).toBe(2);
    point.open();
    expect(await running).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("ended there");
    await eventually(() => agentsOf(hall, "scripted").size).toBe(1);
  });

  it("changes how many turns run at once while turns wait, in their order", async () => {
    const { hall, client, sessionId } = await converse(saying("."), { slot: { concurrency: 1 } });
    const sessions = [sessionId];
    for (let more = 0; more < 3; more++) sessions.push((await client.newSession()).sessionId);
    const points = sessions.map(() => gate());
    const begun: number[] = [];
    hall.service.hall.events.watch((type, payload) => {
      if (type === "turn.started" && "sessionId" in payload && payload.sessionId !== undefined)
        begun.push(sessions.indexOf(payload.sessionId));
    });
    const turns = sessions.map((session, at) => client.prompt(session, [points[at]?.wait ?? { say: "" }]));
    await eventually(() => begun).toEqual([0]);
    reload(hall, { slots: only(saying("."), { concurrency: 2 }) });
    await eventually(() => begun).toEqual([0, 1]);
    reload(hall, { slots: only(saying("."), { concurrency: 1 }) });
    points[0]?.open();
    await turns[0];
    expect(hall.service.hall.slots.choose("scripted").units.pending).toBe(1);
    points[1]?.open();
    await eventually(() => begun).toEqual([0, 1, 2]);
    for (const point of points) point.open();
    await Promise.all(turns);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it("lets a slot that crashed too often start again", async () => {
    const clock = new HandClock();
    const hall = await startHall({ clock, slots: only({ exitAtStart: { code: 1 } }) });
    const client = await hall.connect();
    await client.initialize();
    const slot = hall.service.hall.slots.choose("scripted");
    while (slot.failed === undefined) {
      await client.newSession().catch(() => {});
      clock.advance(60_000);
    }
    reload(hall, { slots: only(saying("mended")) });
    expect(slot.failed).toBeUndefined();
    const { sessionId } = await client.newSession();
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("mended");
  });
});

describe("slots that come and go", () => {
  const two = { scripted: { ways: saying("one ") }, other: { ways: saying("two ") } };
  const options = (list: unknown) => JSON.stringify(list).match(/"value":"\w+"/g);

  it("are there, or gone, in menus at once, and who looks on is told", async () => {
    const { hall, client, sessionId } = await converse(saying("one "));
    const since = client.received.length;
    reload(hall, { slots: two });
    const { message } = await client.sees("hall.slot", since);
    expect(options(message.params)).toEqual(['"value":"scripted"', '"value":"other"']);
    const late = await hall.connect();
    const { agentCapabilities } = await late.initialize();
    expect(JSON.stringify(agentCapabilities?._meta)).toContain('"name":"other"');
    const again = client.received.length;
    reload(hall, { slots: only(saying("one ")) });
    const gone = await client.sees("config_option_update", again);
    expect(gone.message.params).toMatchObject({ sessionId, update: { configOptions: [] } });
    await expect(late.newSession({ _meta: { "hall/slot": "other" } })).rejects.toMatchObject({
      code: -32602,
      data: { slots: ["scripted"] },
    });
  });

  it("let a running turn end when they are taken out; then prompts fail until they are back", async () => {
    const hall = await startHall({ slots: two });
    const client = await hall.connect();
    await client.initialize();
    const { sessionId } = await client.newSession({ _meta: { "hall/slot": "other" } });
    const point = gate();
    const running = client.prompt(sessionId, [point.wait, { say: "ended " }]);
    await point.reached();
    const waiting = client.prompt(sessionId, "waits");
    await client.saidMeanwhile();
    const { applied } = reload(hall, { slots: only(saying("one ")) });
    expect(applied).toMatchObject([{ key: "slots.other", note: expect.stringContaining("taken out") }]);
    point.open();
    expect(await running).toMatchObject({ stopReason: "end_turn" });
    const gone = { code: -32000, data: { kind: "slot_gone", slot: "other" } };
    await expect(waiting).rejects.toMatchObject(gone);
    await expect(client.prompt(sessionId, "now?")).rejects.toMatchObject(gone);
    const reader = await joined(hall, sessionId);
    expect(reader.texts(sessionId)).toBe("ended ");
    reload(hall, { slots: two });
    expect(await client.prompt(sessionId, "back")).toMatchObject({ stopReason: "end_turn" });
    expect(client.texts(sessionId)).toBe("ended two ");
  });
});

describe("a roster that is wrong", () => {
  it("changes nothing, and all that is wrong is told: to who asked, in the log, in the events", async () => {
    const { hall, client, sessionId } = await converse(saying("old"));
    const before = hall.service.roster.now;
    writeFileSync(before.file, "queue: { limit: many }\nslots: { a: { demo: true, colour: red } }\n");
    expect(() => hall.service.reload.now("command")).toThrow(RosterError);
    hall.service.reload.attempt("signal");
    expect(hall.service.roster.now).toBe(before);
    const [line = ""] = said(hall, "roster.rejected").slice(-1);
    expect(line).toContain('"by":"signal"');
    expect(line).toMatch(/hall\.yml:1:\d+: queue\.limit: .*many.*hall\.yml:2:\d+: slots\.a\.colour/);
    expect(hall.service.reload.status).toMatchObject({
      changedOnDisk: true,
      rejected: { by: "signal", faults: [{ path: "queue.limit" }, { path: "slots.a.colour" }] },
    });
    await client.prompt(sessionId, "hello");
    expect(client.texts(sessionId)).toBe("old");
    hall.rewrite({});
    hall.service.reload.now("command");
    expect(hall.service.reload.status).toEqual({
      file: before.file,
      loadedAt: expect.any(String),
      changedOnDisk: false,
    });
  });

  it("may also name a certificate that cannot be used: told where the roster names it", async () => {
    const hall = await startHall({ slots: { demo: { demo: true } } });
    hall.rewrite({ roster: { listen: { tcp: "127.0.0.1:0", tls: { cert: "./no.pem", key: "./no.key" } } } });
    expect(() => hall.service.reload.now("command")).toThrow(/hall\.yml:\d+:\d+: listen\.tls: .*no\.pem/);
  });
});

describe("what a reload says", () => {
  it("lists what needs a restart, and why, for as long as it does", async () => {
    const hall = await startHall({ slots: { demo: { demo: true } } });
    const roster = { listen: { tcp: "127.0.0.1:7499" }, state: "./elsewhere", queue: { limit: 3 } };
    for (let again = 0; again < 2; again++) {
      const { applied, restart } = reload(hall, { roster });
      expect(applied.map(({ key }) => key)).toEqual(again === 0 ? ["queue.limit"] : []);
      expect(restart).toEqual([
        {
          key: "listen.tcp",
          was: "127.0.0.1:0",
          is: "127.0.0.1:7499",
          note: expect.stringContaining("port"),
        },
        { key: "state", was: hall.state, is: "./elsewhere", note: expect.stringContaining("lock") },
      ]);
    }
    expect(hall.service.roster.now.state).toBe(hall.state);
    expect(hall.service.reload.status).toMatchObject({ restart: ["listen.tcp", "state"] });
    expect(reload(hall, {}).restart).toEqual([]);
  });

  it("never shows a value of the environment, or what is likely a secret", async () => {
    process.env.HALL_TEST_SECRET = "s3cret-of-the-environment";
    const slots = { demo: { demo: true, env: { KEY: "literal-secret" } } };
    const hall = await startHall({ slots: { demo: { demo: true } } });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a roster.
    const title = "${HALL_TEST_SECRET}";
    const told = JSON.stringify(
      reload(hall, { slots: { demo: { ...slots.demo, title, description: title } } }),
    );
    delete process.env.HALL_TEST_SECRET;
    expect(told).toContain(title);
    expect(told + hall.log.join("\n")).not.toMatch(/s3cret|literal-secret/);
  });

  it("is refused while the hall stops", async () => {
    const { hall, client, sessionId } = await converse();
    const point = gate();
    const turn = client.prompt(sessionId, [point.wait]).catch(() => {});
    await point.reached();
    const { service } = hall;
    const stopped = service.stop(60_000);
    expect(() => service.reload.now("command")).toThrow(/stopping/);
    service.reload.attempt("signal");
    expect(said(hall, "the roster was not reloaded")).toHaveLength(1);
    point.open();
    await turn;
    await stopped;
  });
});

describe("limits", () => {
  it("hold from then on: what waits for room has it, and queues are as long as they are now", async () => {
    const clock = new HandClock();
    const slots = only(saying("."));
    const hall = await startHall({ slots, clock, roster: { limits: { processes: 1 }, queue: { limit: 0 } } });
    const client = await hall.connect();
    const first = await client.begin();
    const point = gate();
    const running = client.prompt(first, [point.wait]);
    await point.reached();
    await expect(client.newSession()).rejects.toMatchObject({ data: { kind: "too_many_processes" } });
    await expect(client.prompt(first, "more")).rejects.toMatchObject({ data: { kind: "queue_full" } });
    reload(hall, { slots, roster: { limits: { processes: 2 }, queue: { limit: 1 } } });
    const more = client.prompt(first, "more");
    await client.newSession();
    point.open();
    expect([await running, await more]).toMatchObject([
      { stopReason: "end_turn" },
      { stopReason: "end_turn" },
    ]);
  });
});

describe("rules of permission", () => {
  it("are those of now for the next question, also in a turn that runs", async () => {
    const { hall, client, sessionId } = await converse();
    const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: kind, name: kind, kind }));
    const tool = { kind: "execute", title: "rm x", rawInput: { command: "rm x" } };
    const asks = (id: string): Step => ({ ask: { tool: { id, ...tool }, options }, as: id });
    const point = gate();
    const turn = client.prompt(sessionId, [asks("a"), point.wait, asks("b")]);
    (await client.question()).select("allow_once");
    await point.reached();
    reload(hall, { slots: only({}, { permission: { rules: [{ deny: "execute(rm *)" }] } }) });
    point.open();
    await turn;
    expect(client.texts(sessionId)).toBe("a: selected allow_onceb: selected reject_once");
  });
});

describe("with watch: true", () => {
  const roster = { watch: true };
  const title = (hall: TestHall) => hall.service.roster.now.slots[0]?.title;

  /** A hall that watches, and a way to write its roster as an editor does. */
  async function watched() {
    const clock = new HandClock();
    const hall = await startHall({ slots: { demo: { demo: true, title: "a" } }, roster, clock });
    const { file } = hall.service.roster.now;
    const text = (name: string) => readFileSync(file, "utf8").replace(/title: \w+/, `title: ${name}`);
    return { clock, hall, file, text };
  }

  it("a change of the file is taken up once it is written to its end, however it is written", async () => {
    const { clock, hall, file, text } = await watched();
    const [b, c, d] = [text("bb"), text("ccc"), text("dddd")];
    writeFileSync(file, b);
    clock.advance(1_500);
    expect(title(hall)).toBe("bb");
    writeFileSync(`${file}.swp`, c);
    renameSync(`${file}.swp`, file);
    clock.advance(1_500);
    expect(title(hall)).toBe("ccc");
    rmSync(file);
    clock.advance(500);
    writeFileSync(file, d.slice(0, 20));
    clock.advance(500);
    writeFileSync(file, d);
    clock.advance(1_500);
    expect(title(hall)).toBe("dddd");
    expect(said(hall, "roster.reloaded")).toHaveLength(3);
    expect(said(hall, "roster.rejected")).toEqual([]);
  });

  it("what is wrong is told once, and what mends it is taken up; without a change nothing is", async () => {
    const { clock, hall, file, text } = await watched();
    const better = text("better");
    writeFileSync(file, "slots: {}\n");
    clock.advance(60_000);
    expect(said(hall, "roster.rejected")).toHaveLength(1);
    writeFileSync(file, better);
    clock.advance(1_500);
    expect(title(hall)).toBe("better");
    clock.advance(60_000);
    expect(said(hall, "roster.reloaded")).toHaveLength(1);
  });

  it("it is watched no more when the roster says so", async () => {
    const { clock, hall, file, text } = await watched();
    const other = text("other");
    writeFileSync(file, text("a").replace("watch: true", "watch: false"));
    clock.advance(1_500);
    writeFileSync(file, other);
    clock.advance(60_000);
    expect(title(hall)).toBe("a");
  });
});

describe.runIf(hasOpenssl)("a certificate that was renewed", () => {
  it("is shown to connections that come after a reload, on the same port", async () => {
    const folder = temporaryFolder();
    const [before, after] = [new Authority(folder, "before"), new Authority(folder, "after")];
    const files = before.certificate("hall");
    const listen = { tcp: "127.0.0.1:0", http: "127.0.0.1:0", tls: files };
    const secure = await startHall({ slots: { demo: { demo: true } }, roster: { listen } });
    const ports = [secure.service.addresses.tcp, secure.service.addresses.http].map(
      (at) => place(at ?? "").port,
    );
    const trusting = (authority: Authority) => ({ ca: readFileSync(authority.ca) });
    const [tcp = 0, http = 0] = ports;
    for (const port of ports) (await dialTls("127.0.0.1", port, trusting(before))).destroy();
    const kept = secure.over(await dialTls("127.0.0.1", tcp, trusting(before)));
    const renewed = after.certificate("renewed");
    for (const kind of ["cert", "key"] as const) writeFileSync(files[kind], readFileSync(renewed[kind]));
    expect(secure.service.reload.now("command").applied).toEqual([]);
    for (const port of [tcp, http]) {
      (await dialTls("127.0.0.1", port, trusting(after))).destroy();
      await expect(dialTls("127.0.0.1", port, trusting(before))).rejects.toThrow(/certificate/);
    }
    await kept.initialize();
  });
});
