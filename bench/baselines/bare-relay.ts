import type { Readable, Writable } from "node:stream";
import { serveAgent } from "./served-agent.ts";

/**
 * The least that a relay of ACP can do: each line is parsed once, its envelope looked at, and the lines of one read
 * go on in one write. No sessions, no journal, no second client.
 */
function relay(from: Readable, to: Writable): void {
  let rest: Buffer = Buffer.alloc(0);
  from.on("data", (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
      if (!isMessage(JSON.parse(bytes.toString("utf8", start, end)))) throw new Error("a line is no message");
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (start === 0 || to.write(bytes.subarray(0, start))) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
}

const isMessage = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";

serveAgent((socket, agent) => {
  relay(agent.stdout, socket);
  relay(socket, agent.stdin);
});
