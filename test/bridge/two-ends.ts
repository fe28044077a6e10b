import type { Fields } from "../../src/acp/checks.ts";
import { Bridge, type BridgeEnd, type BridgeNews } from "../../src/bridge/bridge.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import type { Transport } from "../../src/wire/transport.ts";

/** The other side of one of a bridge's transports: what came out there, and a hand on it. */
export class End {
  readonly transport: Transport;
  bytes = Buffer.alloc(0);
  state: "open" | "ended" | "closed" = "open";
  #seen: (() => void)[] = [];

  constructor(transport: Transport) {
    this.transport = transport;
    transport.start({
      chunk: (bytes) => {
        this.bytes = Buffer.concat([this.bytes, bytes]);
        this.#ring();
      },
      ended: () => {
        this.state = "ended";
        this.#ring();
      },
      closed: () => {
        this.state = "closed";
        this.#ring();
      },
    });
  }

  get lines(): string[] {
    return this.bytes.toString().split("\n").slice(0, -1);
  }

  /** The answers that came, as messages. */
  get messages(): { id?: unknown; result?: unknown; error?: { code: number; message: string } }[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  say(...messages: object[]): void {
    this.raw(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  }

  raw(text: string | Buffer): void {
    this.transport.write(Buffer.from(text));
  }

  /** Resolves when what came is as wanted. */
  async until(wanted: (end: this) => boolean): Promise<void> {
    while (!wanted(this)) await new Promise<void>((resolve) => this.#seen.push(resolve));
  }

  #ring(): void {
    for (const ring of this.#seen.splice(0)) ring();
  }
}

export interface Bridged {
  bridge: Bridge;
  editor: End;
  /** The other end of the connection of now. */
  readonly hall: End;
  ended: Promise<BridgeEnd>;
  /** What the hall said of itself. */
  met: Fields[];
  news: BridgeNews[];
  clock: HandClock;
  /** From now on nobody answers, until the answer is called. */
  refuse(): () => void;
}

/** A bridge that runs, with an end to play the editor and one to play the hall. `patience`: 0 unless said. */
export function bridged(slot?: string, patience = 0): Bridged {
  const [editorOuter, editorInner] = memoryPair();
  const halls: End[] = [];
  const connect = (): Transport => {
    const [outer, inner] = memoryPair();
    halls.push(new End(outer));
    return inner;
  };
  const clock = new HandClock();
  const met: Fields[] = [];
  const news: BridgeNews[] = [];
  let refuses = false;
  const bridge = new Bridge({
    editor: editorInner,
    hall: connect(),
    reconnect: async () => {
      if (refuses) throw new Error("nobody there");
      return connect();
    },
    patience,
    clock,
    random: () => 1,
    slot,
    met: (info) => met.push(info),
    told: (what) => news.push(what),
  });
  const ended = bridge.run();
  return {
    bridge,
    editor: new End(editorOuter),
    get hall() {
      const hall = halls.at(-1);
      if (!hall) throw new Error("There was no connection.");
      return hall;
    },
    ended,
    met,
    news,
    clock,
    refuse() {
      refuses = true;
      return () => {
        refuses = false;
      };
    },
  };
}

/** Everything that is on its way in memory has arrived. */
export async function settled(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
