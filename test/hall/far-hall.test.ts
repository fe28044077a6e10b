import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newToken } from "../../src/server/token.ts";
import { changeTokens } from "../../src/server/token-file.ts";
import { messagesTo } from "../doubles/agent-transcripts.ts";
import { Authority, hasOpenssl } from "../doubles/certificates.ts";
import { freePort } from "../doubles/free-port.ts";
import { type SlotOptions, startHall, type TestHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

/** The address of a hall's TCP port. */
const addressOf = (hall: TestHall): string => `tcp://${hall.service.addresses.tcp}`;

/** Two halls, the second one behind the slot `far` of the first; and a client of the first. */
async function twoHalls(far: Record<string, SlotOptions>, slot: SlotOptions = {}) {
  const second = await startHall({ slots: far });
  const first = await startHall({ slots: { far: { hall: addressOf(second), ...slot } } });
  const client = await first.connect();
  return { first, second, client };
}

const modes = {
  currentModeId: "ask",
  availableModes: ["ask", "code"].map((id) => ({ id, name: id })),
};

describe("a hall behind a hall", () => {
  it("is prompted as any agent is, and streams what its agent says, in order", async () => {
    const { client, second } = await twoHalls({ a: { ways: {} } });
    const session = await client.begin();
    const answer = await client.prompt(session, [{ say: ["one ", "two"] }]);
    expect(answer.stopReason).toBe("end_turn");
    expect(client.texts(session)).toBe("one two");
    for (const agent of second.agents()) expect(JSON.stringify(messagesTo(agent))).not.toContain('"hall/');
  });

  it("runs the slot that is named, and its own menu of slots does not reach our clients", async () => {
    const { client } = await twoHalls(
      { a: { ways: {} }, b: { ways: { configOptions: [option], modes } } },
      { slot: "b" },
    );
    await client.initialize();
    const made = await client.newSession();
    expect(made.configOptions).toEqual([option]);
    expect(made.modes).toEqual(modes);
    const { configOptions } = await client.setOption(made.sessionId, "effort", "high");
    expect(configOptions).toEqual([{ ...option, currentValue: "high" }]);
    await client.setMode(made.sessionId, "code");
    await client.prompt(made.sessionId, [{ tell: "mode" }, { tell: "options" }]);
    expect(client.texts(made.sessionId)).toMatch(/mode: code.*high/s);
    expect(JSON.stringify(client.messages)).not.toContain("hall.slot");
  });

  it("asks the people of this hall, and hears their answer", async () => {
    const { client } = await twoHalls({ a: { ways: {} } });
    const session = await client.begin();
    const prompted = client.prompt(session, [{ ask: { tool: { id: "t1", title: "Delete it" } } }]);
    const question = await client.question();
    expect(question.params.toolCall).toMatchObject({ title: "Delete it" });
    question.select("allow");
    await prompted;
    expect(client.texts(session)).toBe("asked: selected allow");
  });

  it("refuses for people who do not answer in this hall's time", async () => {
    const { client } = await twoHalls({ a: { ways: {} } }, { permission: { timeout: "50ms" } });
    const session = await client.begin();
    await client.prompt(session, [{ ask: { tool: { id: "t1", title: "Delete it" } } }]);
    expect(client.texts(session)).toBe("asked: selected reject");
  });

  it("tells its errors in its words and by its kinds, and an agent's own as they came", async () => {
    const { client } = await twoHalls({ a: { ways: {} } });
    const session = await client.begin();
    await expect(client.prompt(session, [{ exit: 3 }])).rejects.toMatchObject({
      code: -32000,
      message: "Behind slot far: The agent of slot a ended with exit code 3.",
      data: { kind: "agent_exited", slot: "far", exitCode: 3 },
    });
    const own = { code: -32123, message: "Too much.", data: { limit: 1 } };
    await expect(client.prompt(session, [{ error: own }])).rejects.toMatchObject(own);
  });

  it("tells a client that has a login of its own our failures under another code", async () => {
    const { client } = await twoHalls({ a: { ways: {} } });
    await client.initialize({ clientCapabilities: { auth: { terminal: true } } });
    const { sessionId } = await client.newSession();
    await expect(client.prompt(sessionId, [{ exit: 3 }])).rejects.toMatchObject({ code: -32603 });
  });

  it("serves its agent's files itself: our session's folder is one of its machine", async () => {
    const { client, second } = await twoHalls({ a: { ways: {} } });
    const file = join(second.work, "note.txt");
    writeFileSync(file, "theirs");
    const session = await client.begin({ cwd: second.work });
    await client.prompt(session, [{ read: file }]);
    expect(client.texts(session)).toBe("read: theirs");
    expect(client.messages.map(({ method }) => method)).not.toContain("fs/read_text_file");
    await expect(client.newSession({ cwd: "/no/such/folder" })).rejects.toMatchObject({
      message: expect.stringContaining('"cwd" must be a folder that is there'),
    });
  });

  it("climbs its own ladder for what we cancel, while ours has nothing to signal", async () => {
    const second = await startHall({
      slots: { a: { ways: { ignoreCancel: true, ignoreSigint: true } } },
      roster: { cancel_grace: "100ms" },
    });
    const first = await startHall({
      slots: { far: { hall: addressOf(second) } },
      roster: { cancel_grace: "10s" },
    });
    const client = await first.connect();
    const session = await client.begin();
    const prompted = client.prompt(session, [{ say: "on" }, { wait: "forever" }]);
    await client.hears("on");
    client.cancel(session);
    expect((await prompted).stopReason).toBe("cancelled");
    const notes = second.agents().flatMap(({ entries }) => entries.filter(({ way }) => way === "note"));
    expect(notes.map(({ text }) => text)).toContain("SIGINT");
    await client.prompt(session, [{ say: "again" }]);
    expect(client.texts(session)).toContain("again");
  });

  it("that does not end a turn is left after our ladder, and the session goes on in it", async () => {
    const second = await startHall({
      slots: { a: { ways: { ignoreCancel: true } } },
      roster: { cancel_grace: "1s" },
    });
    const first = await startHall({
      slots: { far: { hall: addressOf(second) } },
      roster: { cancel_grace: "50ms" },
    });
    const client = await first.connect();
    const session = await client.begin();
    const prompted = client.prompt(session, [{ say: "on" }, { wait: "forever" }]);
    await client.hears("on");
    client.cancel(session);
    expect((await prompted).stopReason).toBe("cancelled");
    expect((await client.prompt(session, [{ say: "again" }])).stopReason).toBe("end_turn");
  });

  it("may serve all sessions of the slot by one connection", async () => {
    const { client, first, second } = await twoHalls({ a: { ways: {} } }, { isolation: "slot" });
    const sessions = [await client.begin(), (await client.newSession()).sessionId];
    await Promise.all(sessions.map((id, at) => client.prompt(id, [{ say: `${at}` }])));
    expect(sessions.map((id) => client.texts(id))).toEqual(["0", "1"]);
    expect([first.service.hall.places.taken, second.service.hall.clients.size]).toEqual([1, 1]);
  });

  it("that is not there is told by its address, however often it is tried", async () => {
    const port = await freePort();
    const first = await startHall({ slots: { far: { hall: `tcp://127.0.0.1:${port}` } } });
    const client = await first.connect();
    await client.initialize();
    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await expect(client.newSession()).rejects.toMatchObject({
        message: `Slot "far" cannot use the hall at tcp://127.0.0.1:${port}. Nobody answers there (ECONNREFUSED); start a hall, or correct the address (hall).`,
        data: { kind: "spawn_failed", slot: "far", address: `tcp://127.0.0.1:${port}` },
      });
    }
    const second = await startHall({
      slots: { a: { ways: {} } },
      roster: { listen: { tcp: `127.0.0.1:${port}` } },
    });
    const session = await client.newSession();
    await client.prompt(session.sessionId, [{ say: "here" }]);
    expect(client.texts(session.sessionId)).toBe("here");
    await second.stop();
  });

  it("that has no such slot says which it has", async () => {
    const { client } = await twoHalls({ a: { ways: {} }, b: { ways: {} } }, { slot: "c" });
    await client.initialize();
    await expect(client.newSession()).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Slot "far" cannot use the hall at tcp:.*\. There is no slot "c"; there are: a, b\./,
      ),
      data: { kind: "spawn_failed" },
    });
  });

  it("lets us in by a token, which nobody is shown", async () => {
    const second = await startHall({ slots: { a: { ways: {} } }, strangers: true });
    const [secret, file] = [second.token("first"), join(temporaryFolder(), "token")];
    writeFileSync(file, `${secret}\n`);
    const slots = {
      none: { hall: addressOf(second) },
      written: { hall: addressOf(second), token: secret },
      filed: { hall: addressOf(second), token_file: file },
      lost: { hall: addressOf(second), token_file: `${file}.lost` },
    };
    const first = await startHall({ slots });
    const client = await first.connect();
    await client.initialize();
    const refusal = async (slot: string): Promise<string> =>
      client.newSession({ _meta: { "hall/slot": slot } }).then(
        () => "none",
        (error: Error) => error.message,
      );
    expect(await refusal("none")).toMatch(/^Slot "none" cannot use the hall at tcp:.*token/);
    expect(await refusal("lost")).toMatch(/The token file .*token\.lost is not there\./);
    expect(await refusal("written")).toBe("none");
    expect(await refusal("filed")).toBe("none");
    const state = readFileSync(join(first.state, "learned.json"), "utf8");
    for (const text of [state, ...first.log, ...client.messages.map((message) => JSON.stringify(message))])
      expect(text).not.toContain(secret);
  });

  it("whose token is taken back says so, and the session stays", async () => {
    const second = await startHall({ slots: { a: { ways: {} } }, strangers: true });
    const first = await startHall({
      slots: { far: { hall: addressOf(second), token: second.token("first") } },
    });
    const client = await first.connect();
    const session = await client.begin();
    await client.prompt(session, [{ say: "one" }]);
    const prompted = client.prompt(session, [{ say: "two" }, { wait: "forever" }]);
    await client.hears("two");
    second.revoke("first");
    await expect(prompted).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The hall at tcp:.*, behind slot "far", was lost, and cannot be used any more: .*token/,
      ),
      data: { kind: "agent_exited", slot: "far" },
    });
    await client.load(session);
    expect(client.texts(session)).toContain("one");
  });

  it.runIf(hasOpenssl)(
    "is trusted by the authority that the slot names, and shown a certificate",
    async () => {
      const folder = temporaryFolder();
      const authority = new Authority(folder, "ca");
      const tls = { ...authority.certificate("second"), client_ca: authority.ca };
      const tokens = join(folder, "tokens.yml");
      const { token, secret } = newToken(
        { name: "first", scopes: ["prompt", "approve"], slots: undefined },
        0,
      );
      changeTokens(tokens, () => [token]);
      const listen = { tcp: "127.0.0.1:0", http: "127.0.0.1:0", tls };
      const second = await startHall({
        slots: { a: { ways: {} } },
        roster: { listen, tokens_file: tokens },
        strangers: true,
      });
      const { tcp, http } = second.service.addresses;
      const mine = { ...authority.certificate("first"), ca: authority.ca };
      const first = await startHall({
        slots: {
          tls: { hall: `tls://${tcp}`, token: secret, tls: mine },
          wss: { hall: `wss://${http}`, token: secret, tls: mine },
          strange: { hall: `tls://${tcp}`, token: secret },
        },
      });
      const client = await first.connect();
      await client.initialize();
      for (const slot of ["tls", "wss"]) {
        const { sessionId } = await client.newSession({ _meta: { "hall/slot": slot } });
        await client.prompt(sessionId, [{ say: slot }]);
        expect(client.texts(sessionId)).toBe(slot);
      }
      await expect(client.newSession({ _meta: { "hall/slot": "strange" } })).rejects.toMatchObject({
        message: expect.stringMatching(/Its certificate is not trusted .*tls\.ca names a file/),
      });
    },
  );

  it("that leads back to us is found out at the first round", async () => {
    const [here, there] = [await freePort(), await freePort()];
    const back = { hall: `tcp://127.0.0.1:${here}` };
    const second = await startHall({
      slots: { back },
      roster: { listen: { tcp: `127.0.0.1:${there}` } },
    });
    const first = await startHall({
      slots: { far: { hall: `tcp://127.0.0.1:${there}` }, self: back },
      roster: { listen: { tcp: `127.0.0.1:${here}` } },
    });
    const client = await first.connect();
    await client.initialize();
    for (const slot of ["far", "self"]) {
      await expect(client.newSession({ _meta: { "hall/slot": slot } })).rejects.toMatchObject({
        message: expect.stringContaining("lead back to it"),
        data: { kind: "hall_loop" },
      });
    }
    await second.stop();
  });
});

const option = {
  id: "effort",
  name: "Effort",
  type: "select",
  currentValue: "low",
  options: ["low", "high"].map((value) => ({ value, name: value })),
};
