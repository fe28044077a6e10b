import http from "node:http";
import { describe, expect, it } from "vitest";
import { type Disk, realDisk } from "../../src/ground/disk.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";
import { place } from "./connections.ts";

const LISTEN = { tcp: "127.0.0.1:0", http: "127.0.0.1:0" };
const SLOTS = { one: { ways: {} }, two: { ways: {} } };

const withHttp = (roster: object = {}, more: object = {}): Promise<TestHall> =>
  startHall({ slots: SLOTS, roster: { listen: LISTEN, ...roster }, ...more });

interface Answer {
  status: number | undefined;
  text: string;
  headers: http.IncomingHttpHeaders;
}

function ask(hall: TestHall, path: string, headers: object = {}, method = "GET"): Promise<Answer> {
  const { host, port } = place(hall.service.addresses.http ?? "");
  return new Promise((resolve, reject) => {
    const request = http.request({ host, port, path, method, headers: { ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode, text, headers: response.headers }));
    });
    request.on("error", reject);
    request.end();
  });
}

describe("the HTTP port", () => {
  it("says whether the hall is alive and ready to anybody, and nothing else to strangers", async () => {
    const hall = await withHttp({}, { strangers: true });
    expect(await ask(hall, "/healthz", { Host: "whatever.example" })).toMatchObject({
      status: 200,
      text: "alive\n",
    });
    const ready = await ask(hall, "/readyz");
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.text)).toEqual({
      ready: true,
      state: "writable",
      listeners: "open",
      stopping: false,
    });
    expect(await ask(hall, "/metrics")).toMatchObject({
      status: 401,
      headers: { "www-authenticate": "Bearer" },
    });
    expect(await ask(hall, "/metrics", { Authorization: "Bearer hall_x" })).toMatchObject({ status: 401 });
    expect(hall.log.join("\n")).toContain('"why":"wrong_token"');
    const watcher = hall.token("prometheus", { scopes: ["observe"] });
    expect(await ask(hall, "/metrics", { Authorization: `Bearer ${watcher}` })).toMatchObject({
      status: 200,
    });
    const warden = hall.token("warden", { scopes: ["approve"] });
    expect(await ask(hall, "/metrics", { Authorization: `Bearer ${warden}` })).toMatchObject({ status: 403 });
    expect(hall.log.join("\n")).not.toContain(watcher);
  });

  it("answers what it does not know, or not so, with a sentence", async () => {
    const hall = await withHttp();
    expect(await ask(hall, "/nope")).toMatchObject({
      status: 404,
      text: expect.stringContaining("/metrics"),
    });
    expect(await ask(hall, "/../../etc/passwd")).toMatchObject({ status: 404 });
    expect(await ask(hall, "/acp")).toMatchObject({ status: 426 });
    expect(await ask(hall, "/metrics", {}, "POST")).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
    expect(await ask(hall, "/healthz", {}, "HEAD")).toMatchObject({ status: 200, text: "" });
  });

  it("lets its own user look, but not through a proxy, and not under a name or for a page that is not ours", async () => {
    const hall = await withHttp({ http: { hosts: ["hall.example"], origins: ["https://page.example"] } });
    const { port } = place(hall.service.addresses.http ?? "");
    const allowed = [
      {},
      { Host: `localhost:${port}` },
      { Host: "HALL.example" },
      { Origin: "https://page.example" },
      { Origin: `http://127.0.0.1:${port}` },
    ];
    for (const headers of allowed)
      expect((await ask(hall, "/metrics", headers)).status, JSON.stringify(headers)).toBe(200);
    const refused = [
      { Host: "evil.example" },
      { Host: "127.0.0.1.evil.example" },
      { Host: "169.254.169.254" },
      { Host: "localhost@evil.example" },
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { Origin: "https://page.example.evil" },
    ];
    for (const headers of refused)
      expect((await ask(hall, "/metrics", headers)).status, JSON.stringify(headers)).toBe(403);
    for (const name of ["X-Forwarded-For", "Forwarded", "Via"])
      expect((await ask(hall, "/metrics", { [name]: "for=1.2.3.4" })).status).toBe(401);
    expect(hall.log.join("\n")).toMatch(/client\.refused .*"why":"host"/);
    expect(hall.log.join("\n")).toMatch(/client\.refused .*"why":"origin"/);
  });

  it("is not ready while the disk takes nothing, and while the hall stops", async () => {
    let isFull = false;
    const disk: Disk = {
      ...realDisk,
      replace(path, content) {
        if (isFull) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        realDisk.replace(path, content);
      },
    };
    const hall = await withHttp({}, { disk });
    isFull = true;
    expect(await ask(hall, "/readyz")).toMatchObject({
      status: 503,
      text: expect.stringContaining("not writable"),
    });
    isFull = false;
    expect(await ask(hall, "/healthz")).toMatchObject({ status: 200 });
    const client = await hall.connect();
    const sessionId = await client.begin();
    void client.prompt(sessionId, [{ say: "begun" }, { wait: "cancel" }]);
    await client.hears("begun");
    const stopped = hall.service.stop(60_000);
    expect(JSON.parse((await ask(hall, "/readyz")).text)).toMatchObject({ ready: false, stopping: true });
    client.cancel(sessionId);
    await stopped;
    await expect(ask(hall, "/healthz")).rejects.toThrow();
  });
});

describe("the metrics", () => {
  it("tell what happened and what is, by slot, in Prometheus' words", async () => {
    const hall = await withHttp();
    const client = await hall.connect();
    const sessionId = await client.begin();
    const turn = client.prompt(sessionId, [
      { say: ["a", "b"] },
      { ask: { tool: { id: "t", title: "dig" } } },
    ]);
    const question = await client.question();
    const metric = async (name: string): Promise<number> => {
      const { text, headers } = await ask(hall, "/metrics");
      expect(headers["content-type"]).toContain("text/plain; version=0.0.4");
      const line = text.split("\n").find((one) => one.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1) ?? Number.NaN);
    };
    expect(await metric('hall_turns_running{slot="one"}')).toBe(1);
    expect(await metric("hall_questions_open")).toBe(1);
    question.select("allow");
    await turn;
    await expect(client.prompt(sessionId, [{ error: { code: -32603, message: "no" } }])).rejects.toThrow();
    await expect(client.request("_hall/status", {})).rejects.toThrow();
    expect(await metric('hall_turns_total{slot="one",outcome="end_turn"}')).toBe(1);
    expect(await metric('hall_turns_total{slot="one",outcome="error"}')).toBe(1);
    expect(await metric('hall_turn_failures_total{slot="one",kind="agent"}')).toBe(1);
    for (const name of ["wait", "first_update"])
      expect(await metric(`hall_turn_${name}_seconds_count{slot="one"}`)).toBeGreaterThan(0);
    expect(await metric('hall_turn_seconds_count{slot="one"}')).toBe(2);
    expect(await metric('hall_updates_total{slot="one"}')).toBeGreaterThanOrEqual(3);
    expect(await metric('hall_update_bytes_total{slot="one"}')).toBeGreaterThan(300);
    expect(await metric('hall_updates_total{slot="two"}')).toBe(0);
    expect(await metric('hall_clients{via="tcp"}')).toBe(1);
    expect(await metric("hall_attachments")).toBe(1);
    expect(await metric("hall_attachment_lag_bytes")).toBe(0);
    expect(await metric('hall_processes{slot="one"}')).toBeGreaterThan(0);
    if (process.platform === "linux")
      expect(await metric('hall_process_memory_bytes{slot="one"}')).toBeGreaterThan(1_000_000);
    expect(await metric('hall_process_starts_total{slot="one"}')).toBeGreaterThan(0);
    expect(await metric('hall_questions_total{outcome="allowed"}')).toBe(1);
    expect(await metric("hall_question_seconds_count")).toBe(1);
    expect(await metric('hall_denied_total{scope="admin"}')).toBe(1);
    expect(await metric("hall_sessions")).toBe(1);
    expect(await metric('hall_info{version="0.0.0-test"}')).toBe(1);
  });

  it("have no label that a client or an agent could have made up", async () => {
    const hall = await withHttp();
    const client = await hall.connect();
    client.exempt(() => true);
    const sessionId = await client.begin();
    await client.prompt(sessionId, [{ end: "made_up" }]).catch(() => {});
    await expect(client.newSession({ _meta: { "hall/slot": "made_up" } })).rejects.toThrow();
    const { text } = await ask(hall, "/metrics");
    expect(text).not.toContain("made_up");
    expect(text).not.toContain(sessionId);
    expect(text).toContain('hall_turns_total{slot="one",outcome="other"} 1');
  });
});

it("a prompt's traceparent reaches its agent, and stands in the log with the turn; what is none does not", async () => {
  const hall = await withHttp();
  const client = await hall.connect();
  const sessionId = await client.begin();
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  await client.prompt(sessionId, "one", { traceparent });
  await client.prompt(sessionId, "two", { traceparent: "x\ny" });
  const { received } = await client.agentSaw(sessionId);
  const prompts = received.filter(({ method }) => method === "session/prompt");
  expect(prompts).toMatchObject([
    { params: { _meta: { traceparent } } },
    { params: { _meta: { traceparent: "x\ny" } } },
  ]);
  const ends = hall.log.filter((line) => line.startsWith("turn.ended"));
  expect(ends[0]).toContain(`"traceparent":"${traceparent}"`);
  expect(ends[1]).not.toContain("traceparent");
});
