import { memoryPair } from "../../src/wire/memory.ts";
import type { Id } from "../../src/wire/message.ts";
import { type IncomingRequest, Peer, type PeerReceiver, type Reply } from "../../src/wire/peer.ts";
import type { Transport } from "../../src/wire/transport.ts";

/** A peer, what it was told in words, and the bare other end of its connection. */
export class Endpoint {
  readonly peer: Peer;
  readonly far: Transport;
  /** What the peer's receiver heard, in order. */
  readonly heard: string[] = [];
  readonly requests: IncomingRequest[] = [];
  /** What broke, if anything did. */
  readonly broken: unknown[] = [];
  /** What the other end got, as text. */
  wrote = "";
  /** Is called instead of nothing when a message comes. */
  onMessage: (what: string) => void = () => {};

  constructor(lineLimit = 1_000_000) {
    const [near, far] = memoryPair();
    this.far = far;
    far.start({
      chunk: (bytes) => {
        this.wrote += bytes.toString();
      },
      ended: () => {
        this.wrote += "(end)";
      },
      closed: () => {},
    });
    const tell = (what: string): void => {
      this.heard.push(what);
      this.onMessage(what);
    };
    const receiver: PeerReceiver = {
      request: (request) => {
        this.requests.push(request);
        tell(`request ${JSON.stringify(request.id)} ${request.method}`);
      },
      notification: (method) => tell(`notification ${method}`),
      fault: ({ code }) => tell(`fault ${code}`),
      stray: (id) => tell(`stray ${JSON.stringify(id)}`),
      readEnd: () => tell("read"),
      tooLong: (limit) => tell(`too long ${limit}`),
      ended: () => tell("ended"),
      closed: () => tell("closed"),
      broke: (error) => this.broken.push(error),
    };
    this.peer = new Peer(near, lineLimit, receiver);
    this.peer.start();
  }

  /** Sends these bytes, or messages a line each, in one piece; resolves when they have arrived. */
  async gets(...messages: (string | object)[]): Promise<void> {
    const lines = messages.map((message) =>
      typeof message === "string" ? message : `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`,
    );
    this.far.write(Buffer.from(lines.join("")));
    await this.settled();
  }

  /** Asks, and says in `heard` what came back. Answers the id that it was asked under. */
  asks(method: string, params: unknown = {}): Id {
    const id = this.peer.request(method, params, (reply) => {
      this.heard.push(`settled ${method} ${inWords(reply)}`);
      this.onMessage(`settled ${method}`);
    });
    return id;
  }

  /** The messages that the other end got. */
  get messages(): { id?: unknown; method?: unknown; params?: unknown; result?: unknown; error?: unknown }[] {
    return this.wrote
      .split("\n")
      .filter((line) => line !== "" && line !== "(end)")
      .map((line) => JSON.parse(line));
  }

  /** The first request that came and has no answer yet. */
  get open(): IncomingRequest {
    const open = this.requests.find((request) => !request.answered);
    if (!open) throw new Error("No request is open.");
    return open;
  }

  /** Everything that was on its way has arrived, in both directions. */
  async settled(): Promise<void> {
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  }
}

function inWords(reply: Reply): string {
  if (reply.ok) return JSON.stringify(reply.result);
  return reply.lost ? "lost" : `error ${reply.error.code}${reply.bytes ? "" : " (ours)"}`;
}
