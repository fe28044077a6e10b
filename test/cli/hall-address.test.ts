import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hallAddress, showAddress } from "../../src/cli/hall-address.ts";

describe("the address of a hall", () => {
  it.each([
    ["unix:/run/hall.sock", { path: "/run/hall.sock" }],
    ["unix:///run/hall.sock", { path: "/run/hall.sock" }],
    ["unix:hall.sock", { path: path.resolve("hall.sock") }],
    ["tcp://127.0.0.1:7420", { host: "127.0.0.1", port: 7420 }],
    ["tcp://localhost:1/", { host: "localhost", port: 1 }],
    ["tcp://[::1]:65535", { host: "::1", port: 65_535 }],
    ["tls://hall.example:7420", { tls: { host: "hall.example", port: 7420 } }],
    ["ws://127.0.0.1:7421", { websocket: "ws://127.0.0.1:7421/acp" }],
    ["wss://hall.example/team/acp", { websocket: "wss://hall.example/team/acp" }],
  ])("is what %s says", (text, address) => {
    expect(hallAddress(text)).toEqual(address);
  });

  it.each([
    "",
    "7420",
    "127.0.0.1:7420",
    "tcp://",
    "tcp://x",
    "tcp://x:0",
    "tcp://x:65536",
    "tcp://a:b:1",
    "unix:",
    "tls://x",
    "tls://x@y:1",
    "ws://",
    "http://x:1",
  ])("is not %j", (text) => expect(() => hallAddress(text)).toThrow(/write unix:PATH, tcp:\/\/HOST:PORT/));

  it.each(["ws://ann:secret@x/acp", "wss://secret@x", "wss://x/acp?token=secret", "ws://x/#secret"])(
    "is not one that holds a secret, which is not shown again: %s",
    (text) => {
      expect(() => hallAddress(text)).toThrow(/^(?!.*secret).*HALL_TOKEN/);
    },
  );

  it("is no path that the kernel would cut", () => {
    expect(() => hallAddress(`unix:/${"x".repeat(200)}`)).toThrow(/too long/);
  });

  it("reads what it shows", () => {
    const address = fc.oneof(
      fc.record({
        host: fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()),
        port: fc.integer({ min: 1, max: 65_535 }),
      }),
      fc.record({ path: fc.stringMatching(/^\/[a-z ]{1,20}$/) }),
    );
    fc.assert(
      fc.property(address, (one) => {
        expect(hallAddress(showAddress(one))).toEqual(one);
      }),
    );
  });
});
