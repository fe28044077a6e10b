import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/ground/clock.ts";
import { rosterOf } from "../../src/hall/roster.ts";
import { tlsOptions } from "../../src/server/certificate.ts";
import { newToken } from "../../src/server/token.ts";
import { changeTokens } from "../../src/server/token-file.ts";
import { dialTls } from "../../src/wire/dial-tls.ts";
import { dialWebSocket } from "../../src/wire/dial-websocket.ts";
import { Authority, hasOpenssl } from "../doubles/certificates.ts";
import { startHall, type TestHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { converse, place } from "./connections.ts";

const SLOTS = { demo: { demo: true } };
const ANY = { tcp: "0.0.0.0:0", http: "0.0.0.0:0" };

/** The file of a token, which is there before the hall is; and the token. */
function tokenFile(): { file: string; token: string } {
  const file = join(temporaryFolder(), "tokens.yml");
  const wishes = { name: "ann", scopes: ["prompt", "approve"] as const, slots: undefined };
  const { token, secret } = newToken(wishes, 0);
  changeTokens(file, () => [token]);
  return { file, token: secret };
}

function addresses(hall: TestHall): { tcp: number; http: number } {
  const { tcp, http } = hall.service.addresses;
  return { tcp: place(tcp ?? "").port, http: place(http ?? "").port };
}

describe.runIf(hasOpenssl)("TLS", () => {
  it("is spoken on both ports, beyond loopback, and what is not TLS gets nothing", async () => {
    const authority = new Authority(temporaryFolder(), "ca");
    const listen = { ...ANY, tls: authority.certificate("hall") };
    const { file, token } = tokenFile();
    const hall = await startHall({ slots: SLOTS, roster: { listen, tokens_file: file }, strangers: true });
    const { tcp, http } = addresses(hall);
    const ca = readFileSync(authority.ca);
    const client = hall.over(await dialTls("127.0.0.1", tcp, { ca }));
    await client.initialize({ _meta: { "hall/token": token } });
    expect((await client.list()).sessions).toEqual([]);
    const url = `wss://localhost:${http}/acp`;
    const page = hall.over(await dialWebSocket({ url, token, tls: { ca }, clock: systemClock }));
    await page.initialize();
    expect((await page.list()).sessions).toEqual([]);
    await expect(dialTls("127.0.0.1", tcp, {})).rejects.toThrow(/certificate/);
    const plain = await converse({ host: "127.0.0.1", port: tcp }, '{"jsonrpc":"2.0"}\n').catch(() => "");
    expect(plain).not.toContain("jsonrpc");
    await expect.poll(() => hall.log.join("\n")).toMatch(/client\.refused .*"why":"tls"/);
    expect(
      await converse({ host: "127.0.0.1", port: http }, "GET /healthz HTTP/1.1\r\n\r\n").catch(() => ""),
    ).not.toContain("alive");
  });

  it("wants a client's certificate where the roster says so, which is beside the token and no token", async () => {
    const folder = temporaryFolder();
    const [ours, theirs] = [new Authority(folder, "ours"), new Authority(folder, "theirs")];
    const listen = { ...ANY, tls: { ...ours.certificate("hall"), client_ca: ours.ca } };
    const { file, token } = tokenFile();
    const hall = await startHall({ slots: SLOTS, roster: { listen, tokens_file: file }, strangers: true });
    const { tcp, http } = addresses(hall);
    const ca = readFileSync(ours.ca);
    const identity = (authority: Authority, name: string) => {
      const { cert, key } = authority.certificate(name);
      return { ca, cert: readFileSync(cert), key: readFileSync(key) };
    };
    const known = identity(ours, "ann");
    const client = hall.over(await dialTls("127.0.0.1", tcp, known));
    await expect(client.initialize()).rejects.toMatchObject({ data: { reason: "no_token" } });
    const again = hall.over(await dialTls("127.0.0.1", tcp, known));
    await again.initialize({ _meta: { "hall/token": token } });
    for (const tls of [{ ca }, identity(theirs, "eve")]) {
      // TLS 1.3 tells a client that its certificate is not taken only after its first words.
      const stranger = hall.over(await dialTls("127.0.0.1", tcp, tls));
      await expect(stranger.initialize({ _meta: { "hall/token": token } })).rejects.toThrow();
      const url = `wss://127.0.0.1:${http}/acp`;
      await expect(dialWebSocket({ url, token, tls, clock: systemClock })).rejects.toThrow();
    }
  });

  it("does not begin with files that are no certificate and its key, and says which", () => {
    const folder = temporaryFolder();
    const authority = new Authority(folder, "ca");
    const { cert, key } = authority.certificate("hall");
    const wrong = { cert, key: authority.certificate("other").key, clientCa: undefined };
    expect(() => tlsOptions(wrong)).toThrow(`listen.tls cannot be used: ${cert}`);
    expect(() => tlsOptions({ ...wrong, key: `${key}.gone` })).toThrow(
      `The key ${key}.gone of listen.tls cannot be read: there is no such file.`,
    );
  });
});

describe("beyond loopback", () => {
  it("nothing is opened while there are no tokens, whatever else is there", async () => {
    for (const listen of [{ tcp: "0.0.0.0:0" }, { tcp: false, http: "0.0.0.0:0" }, { tcp: "[::]:0" }]) {
      const started = startHall({ slots: SLOTS, roster: { listen, insecure: true } });
      await expect(started).rejects.toThrow(
        /other machines can reach it, and there are no tokens in .*tokens\.yml/,
      );
    }
  });

  it("a roster without TLS that does not say insecure is refused", () => {
    const values = { slots: SLOTS, listen: { tcp: "0.0.0.0:7420" } };
    expect(() => rosterOf(values, { folder: "/srv" })).toThrow(
      "without TLS everything can be read on the way",
    );
    expect(rosterOf({ ...values, insecure: true }, { folder: "/srv" }).insecure).toBe(true);
  });
});
