// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what a roster's variables look like.
import { describe, expect, it } from "vitest";
import { faults, firstSlot, read } from "./rosters.ts";

const slot = (keys: string): string => `slots: { a: { ${keys} } }`;
const FORMS = "write unix:PATH, tcp://HOST:PORT, tls://HOST:PORT, ws://HOST:PORT or wss://HOST:PORT";

describe("a slot that is another hall", () => {
  it("needs its address alone, and may name a slot there, a token, and files by the roster's folder", () => {
    const nothing = { slot: undefined, token: undefined, tokenFile: undefined };
    const noFiles = { ca: undefined, cert: undefined, key: undefined };
    expect(firstSlot(read(slot("hall: tcp://box:7420"))).run).toEqual({
      kind: "hall",
      address: { host: "box", port: 7420 },
      ...nothing,
      tls: noFiles,
    });
    expect(firstSlot(read(slot("hall: unix:box.sock"))).run).toMatchObject({
      address: { path: "/srv/box.sock" },
    });
    const written =
      "hall: 'wss://box', slot: s, token_file: ./t, tls: { ca: ca.pem, cert: c.pem, key: /k.pem }";
    expect(firstSlot(read(slot(written))).run).toEqual({
      kind: "hall",
      address: { websocket: "wss://box/acp" },
      slot: "s",
      token: undefined,
      tokenFile: "/srv/t",
      tls: { ca: "/srv/ca.pem", cert: "/srv/c.pem", key: "/k.pem" },
    });
  });

  it("has a token that is kept out of everything, and none where its variable is empty", () => {
    const { slots, secrets } = read(slot("hall: tls://box:7420, token: '${T}'"), { T: " hall_abc " });
    expect(slots[0]?.run).toMatchObject({ token: "hall_abc" });
    expect(secrets.join()).toContain("hall_abc");
    expect(firstSlot(read(slot("hall: tls://box:7420, token: '${T:-}'"))).run).toMatchObject({
      token: undefined,
    });
    expect(firstSlot(read(slot("hall: tls://box:7420, token: '${T}'"))).unavailable).toContain(
      "T (token, line 1)",
    );
    expect(faults(slot("hall: tls://box:7420, token: [x]")).join()).not.toContain("x]");
  });

  it.each([
    ["hall: box:7420", `slots.a.hall: "box:7420" is not the address of a hall; ${FORMS}`],
    ["hall: 7420", `slots.a.hall: 7420 is not the address of a hall; ${FORMS}`],
    ["hall: 'http://box'", `slots.a.hall: "http://box" is not the address of a hall; ${FORMS}`],
    ["hall: 'unix:'", `slots.a.hall: "unix:" names no socket; ${FORMS}`],
    [
      "demo: true, slot: b",
      "slots.a.slot: this is for a slot that is another hall; take the key out, or write hall with that hall's address",
    ],
    [
      "demo: true, token: b",
      "slots.a.token: this is for a slot that is another hall; take the key out, or write hall with that hall's address",
    ],
    [
      "hall: tls://b:1, command: [x]",
      "slots.a: it names several things to run: command, hall; keep one of them",
    ],
    [
      "hall: tls://b:1, args: [x]",
      "slots.a.args: the other hall starts the agent, as its own roster says; take the key out",
    ],
    [
      "hall: tls://b:1, env: { A: b }",
      "slots.a.env: the other hall starts the agent, as its own roster says; take the key out",
    ],
    [
      "hall: tls://b:1, token: x, token_file: y",
      "slots.a.token_file: the token is written already; keep one of the two keys",
    ],
    [
      "hall: 'unix:s', token: x",
      "slots.a.token: a UNIX socket takes no token: whoever may open it is let in; take the key out",
    ],
    [
      "hall: 'ws://localhost:1', tls: { ca: x }",
      "slots.a.tls: that hall is not reached by TLS; take the key out, or write the address as tls:// or wss://",
    ],
    [
      "hall: tls://b:1, tls: { cert: x }",
      "slots.a.tls.cert: a certificate and its key go together; write key too",
    ],
  ])("is an error in other words: %s", (keys, fault) => {
    expect(faults(slot(keys)).map((told) => told.replace(/^\d+:\d+: /, ""))).toEqual([fault]);
  });

  it("never shows what stands in an address beside host, port and path", () => {
    const [fault] = faults(slot("hall: 'wss://ann:secret@box/'"));
    expect(fault).not.toContain("secret");
    expect(fault).toContain(
      "the address holds more than host, port and path; a token goes into token_file or token",
    );
  });

  it("is warned about where a token would be read on the way", () => {
    const warned = (hall: string): string[] =>
      read(slot(`hall: '${hall}'`)).warnings.map(({ message }) => message);
    for (const hall of ["tls://box:1", "wss://box", "tcp://127.0.0.1:1", "ws://[::1]:1", "unix:x"])
      expect(warned(hall)).toEqual([]);
    for (const hall of ["tcp://box:1", "ws://box"])
      expect(warned(hall)).toEqual([
        expect.stringContaining("can be read on the way; write tls:// or wss://"),
      ]);
  });
});
