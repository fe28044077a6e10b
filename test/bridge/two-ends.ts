import type { Fields } from "../../src/acp/checks.ts";
import { Bridge, type BridgeEnd } from "../../src/bridge/bridge.ts";
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
  hall: End;
  ended: Promise<BridgeEnd>;
  /** What the hall said of itself. */
  met: Fields[];
}

/** A bridge that runs, with an end to play the editor and one to play the hall. */
export function bridged(slot?: string): Bridged {
  const [editorOuter, editorInner] = memoryPair();
  const [hallOuter, hallInner] = memoryPair();
  const met: Fields[] = [];
  const bridge = new Bridge({ editor: editorInner, hall: hallInner, slot, met: (info) => met.push(info) });
  const ended = bridge.run();
  return { bridge, editor: new End(editorOuter), hall: new End(hallOuter), ended, met };
}

/** Everything that is on its way in memory has arrived. */
export async function settled(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
