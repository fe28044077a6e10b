import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { converse, hallWith, joined } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import type { JsonObject } from "../doubles/scripted-agent/ways.ts";

const everything = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

/** A session whose client says that it can do these things. */
async function capable(clientCapabilities: JsonObject, slot: JsonObject = {}) {
  const hall = await hallWith({}, { slot });
  const client = await hall.connect();
  await client.initialize({ clientCapabilities });
  return { hall, client, sessionId: (await client.newSession()).sessionId };
}

/** The methods that a client was called with, updates apart. */
const calls = ({ messages }: AcpClient): unknown[] =>
  messages
    .map(({ method }) => method)
    .filter((method) => method !== undefined && method !== "session/update");

describe("files, for an agent whose client offers them", () => {
  it("are read by the client: params and answer pass as they are", async () => {
    const { hall, client, sessionId } = await capable(everything);
    client.answerWith(({ method, params }) => ({ content: `${method} ${JSON.stringify(params)}` }));
    const path = join(hall.work, "unsaved.txt");
    await client.prompt(sessionId, [{ read: { path, line: 3, limit: 2 } }]);
    const params = JSON.stringify({ sessionId, path, line: 3, limit: 2 });
    expect(client.texts(sessionId)).toBe(`read: fs/read_text_file ${params}`);
  });

  it("are written by the client", async () => {
    const { hall, client, sessionId } = await capable(everything);
    const written: unknown[] = [];
    client.answerWith(({ params }) => {
      written.push(params);
      return {};
    });
    const path = join(hall.work, "new.txt");
    await client.prompt(sessionId, [{ write: { path, content: "ü\n" } }]);
    expect(written).toEqual([{ sessionId, path, content: "ü\n" }]);
  });

  it("fail with the client's own error", async () => {
    const { hall, client, sessionId } = await capable(everything);
    client.answerWith(() => ({ error: { code: 77, message: "Locked." } }));
    await client.prompt(sessionId, [{ read: join(hall.work, "f") }]);
    expect(client.texts(sessionId)).toBe("read: error 77 Locked.");
  });

  it("are asked of the turn's sender only, never of a third client", async () => {
    const { hall, client, sessionId } = await capable({});
    const other = await joined(hall, sessionId, { clientCapabilities: everything });
    other.answerWith(() => ({ content: "from the other" }));
    await client.prompt(sessionId, [{ read: join(hall.work, "missing") }]);
    expect(calls(other)).toEqual([]);
    await other.prompt(sessionId, [{ read: join(hall.work, "missing") }]);
    expect(other.texts(sessionId)).toContain("from the other");
    expect(calls(client)).toEqual([]);
  });

  it("end with client_gone when that client goes", async () => {
    const { hall, client, sessionId } = await capable(everything);
    const other = await joined(hall, sessionId);
    client.answerWith(() => "silence");
    void client.prompt(sessionId, [{ read: join(hall.work, "f") }, { say: " on" }]);
    await client.sees("fs/read_text_file");
    await client.close();
    await other.hears(" on");
    expect(other.texts(sessionId)).toMatch(/^read: error -?\d+ .+ on$/);
  });

  it("after its end, half open as it may be, are not asked of it any more", async () => {
    const { hall, client, sessionId } = await capable(everything);
    const { wait, reached, open } = gate();
    writeFileSync(join(hall.work, "f"), "on disk");
    const turn = client.prompt(sessionId, [wait, { read: join(hall.work, "f") }]);
    await reached();
    client.end();
    const other = await hall.connect();
    await other.initialize();
    await other.load(sessionId);
    open();
    await turn;
    expect(calls(client)).toEqual([]);
  });
});

// ACP would have the hall answer -32601: its own agent may not call what the client did not offer. But it is the
// hall that these agents talk to, and it offers files and terminals itself. The client is spared either way.
describe("files, for an agent whose client does not offer them", () => {
  it("[C66, ACP-CLIENTCAP-001] are read and written by the hall, inside the session's folders; the client is not called", async () => {
    const { hall, client, sessionId } = await capable({});
    writeFileSync(join(hall.work, "f"), "one\ntwo\nthree\n");
    const [old, fresh] = [join(hall.work, "f"), join(hall.work, "fresh")];
    await client.prompt(sessionId, [
      { read: old },
      { read: { path: old, line: 2, limit: 1 } },
      { write: { path: fresh, content: "new" } },
    ]);
    expect(client.texts(sessionId)).toMatch(/^read: one\ntwo\nthree\nread: two\n?wrote: /);
    expect(readFileSync(fresh, "utf8")).toBe("new");
    expect(calls(client)).toEqual([]);
  });

  it("[C66] are refused outside of them: above, elsewhere, through a link, in the hall's own state", async () => {
    const { hall, client, sessionId } = await capable({});
    symlinkSync("/etc", join(hall.work, "link"));
    writeFileSync(join(hall.folder, "secret"), "secret");
    for (const path of [
      "/etc/hostname",
      join(hall.folder, "secret"),
      `${hall.work}/../secret`,
      join(hall.work, "link", "hostname"),
      "relative",
    ]) {
      const since = client.received.length;
      await client.prompt(sessionId, [{ read: path }, { write: { path, content: "x" } }]);
      expect(client.texts(sessionId, since)).toMatch(/^read: error -?\d+ .+wrote: error -?\d+ /);
    }
    expect(readFileSync(join(hall.folder, "secret"), "utf8")).toBe("secret");
  });

  it("[C66] are -32601 where the slot says off", async () => {
    const { hall, client, sessionId } = await capable(everything, { fs: "off" });
    writeFileSync(join(hall.work, "f"), "text");
    await client.prompt(sessionId, [{ read: join(hall.work, "f") }]);
    expect(client.texts(sessionId)).toMatch(/^read: error -32601 /);
    expect(calls(client)).toEqual([]);
  });
});

describe("terminals", () => {
  it("[C66, ACP-CLIENTCAP-002] are the hall's where the client offers none; the client is not called", async () => {
    const { client, sessionId } = await capable({});
    await client.prompt(sessionId, [
      { terminal: { command: "sh", args: ["-c", "echo out; echo err >&2; exit 3"] } },
      { terminal: { command: "pwd" } },
    ]);
    expect(client.texts(sessionId)).toMatch(/terminal: exit 3: /);
    for (const word of ["out", "err", client.cwd]) expect(client.texts(sessionId)).toContain(word);
    expect(calls(client)).toEqual([]);
  });

  it("are the client's where it offers them: every call passes as it is", async () => {
    const { client, sessionId } = await capable(everything);
    client.answerWith(({ method }) => {
      if (method === "terminal/create") return { terminalId: "of the client" };
      if (method === "terminal/wait_for_exit") return { exitCode: 0 };
      if (method === "terminal/output") return { output: "from the client", truncated: false };
      return {};
    });
    await client.prompt(sessionId, [{ terminal: { command: "make", args: ["test"] } }]);
    expect(client.texts(sessionId)).toBe("terminal: exit 0: from the client");
    expect(calls(client)).toEqual([
      "terminal/create",
      "terminal/wait_for_exit",
      "terminal/output",
      "terminal/release",
    ]);
  });

  it("[C66] are -32601 where the slot says off", async () => {
    const { client, sessionId } = await capable(everything, { terminal: "off" });
    await client.prompt(sessionId, [{ terminal: { command: "true" } }]);
    expect(client.texts(sessionId)).toMatch(/^terminal: error -32601 /);
    expect(calls(client)).toEqual([]);
  });
});

describe("elicitation", () => {
  const form = { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } };

  it("[C66, ACP-CLIENTCAP-003] that the client does not offer is cancelled, and not shown", async () => {
    const { client, sessionId } = await capable({});
    await client.prompt(sessionId, [{ call: { method: "elicitation/create", params: form } }]);
    expect(client.texts(sessionId)).toBe('elicitation/create: {"action":"cancel"}');
    expect(calls(client)).toEqual([]);
  });

  it("[C66] comes to a client that offers it, and its answer goes back", async () => {
    const { client, sessionId } = await capable({ elicitation: { form: {} } });
    client.answerWith(() => ({ action: "accept", content: { a: "b" } }));
    await client.prompt(sessionId, [{ call: { method: "elicitation/create", params: form } }]);
    expect(client.texts(sessionId)).toBe('elicitation/create: {"action":"accept","content":{"a":"b"}}');
  });

  it("[C66] that belongs to a request names the client's own request", async () => {
    const { client, sessionId } = await capable({ elicitation: { form: {} } });
    client.answerWith(() => ({ action: "decline" }));
    // So that the agent's ids and the client's are not the same by chance.
    for (let n = 0; n < 3; n += 1) await client.list();
    const id = client.nextId;
    const params = { ...form, requestId: "prompt" };
    await client.prompt(sessionId, [{ call: { method: "elicitation/create", params } }]);
    expect(client.texts(sessionId)).toBe('elicitation/create: {"action":"decline"}');
    const shown = client.messages.find(({ method }) => method === "elicitation/create");
    expect(shown).toHaveProperty("params.requestId", id);
  });

  it("[C66] that is open when its turn is cancelled is settled", async () => {
    const { client, sessionId } = await capable({ elicitation: { form: {} } });
    client.answerWith(() => "silence");
    const turn = client.prompt(sessionId, [{ call: { method: "elicitation/create", params: form } }]);
    await client.sees("elicitation/create");
    client.cancel(sessionId);
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
  });
});

describe("any other call of an agent", () => {
  it.each(["_vendor/ask", "foo/bar", "session/prompt"])(
    "as %s is answered -32601 where nobody knows it",
    async (method) => {
      const { client, sessionId } = await converse();
      await client.prompt(sessionId, [{ call: { method, params: { x: 1 } } }]);
      expect(client.texts(sessionId)).toMatch(new RegExp(`^${method}: error -32601 `));
    },
  );
});
