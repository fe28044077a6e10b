import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Cancel, Clock } from "../ground/clock.ts";
import { LineSplitter } from "./lines.ts";
import { Shares } from "./shares.ts";
import type { Receiver, Transport } from "./transport.ts";

/** How often the other side is asked whether it is there. Proxies cut what was silent for a minute. */
const PING_MS = 25_000;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const NORMAL = 1000;

/** Why a message is not taken: the connection ends with it. */
type Refusal = { code: number; reason: string } | undefined;

export interface WebSocketOptions {
  /** Looks at the first message before anybody else does. */
  first?(message: Buffer): Refusal;
  /** What it has in common with the other connections of this process; without, it is alone. */
  shares?: Shares;
}

/**
 * A transport over a WebSocket: each line is a text frame of its own. A message that was written over several lines
 * is one all the same. Binary frames are passed over.
 */
export class WebSocketTransport implements Transport {
  readonly #socket: WebSocket;
  /** What the frames travel on. */
  readonly #stream: Duplex;
  readonly #lines: LineSplitter;
  #waiting: (() => void)[] = [];
  readonly #shares: Shares;
  #first: WebSocketOptions["first"];
  #stopPinging: Cancel = () => {};
  #isAlive = true;
  #closed = false;
  #error: Error | undefined;
  #receiver: Receiver | undefined;

  /** The socket is open, and stands still until `start`. */
  constructor(
    socket: WebSocket,
    stream: Duplex,
    clock: Clock,
    { first, shares = new Shares() }: WebSocketOptions = {},
  ) {
    this.#first = first;
    this.#shares = shares;
    this.#socket = socket;
    this.#stream = stream;
    this.#lines = new LineSplitter(Number.POSITIVE_INFINITY, {
      line: (bytes) => socket.send(bytes, { binary: false }, () => {}),
      tooLong: () => {},
    });
    socket.pause();
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    socket.on("error", (error) => {
      this.#error ??= error;
    });
    socket.on("close", () => this.#over());
    stream.on("drain", () => this.#ringAll());
    this.#ping(clock);
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#socket.on("message", (data, isBinary) => {
      this.#isAlive = true;
      if (!isBinary && Buffer.isBuffer(data) && this.#isOpen) this.#take(data, receiver);
    });
    if (this.#closed) queueMicrotask(() => this.#tellClosed());
    else this.resume();
  }

  get backlog(): number {
    return this.#closed ? 0 : this.#socket.bufferedAmount;
  }

  write(bytes: Buffer): void {
    if (this.#isOpen) this.#lines.push(bytes);
  }

  onDrain(ring: () => void): void {
    if (!this.#closed && (!this.#isOpen || this.#stream.writableNeedDrain)) this.#waiting.push(ring);
    else queueMicrotask(ring);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#socket.close(NORMAL);
  }

  destroy(): void {
    this.#socket.terminate();
  }

  /** It does not keep to a share itself: the library hands over whole messages. But who waits here is waited for. */
  #take(message: Buffer, receiver: Receiver): void {
    this.#shares.came(this, message.length);
    const refusal = this.#first?.(message);
    this.#first = undefined;
    if (refusal) this.#socket.close(refusal.code, refusal.reason);
    else receiver.chunk(asLine(message));
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Who did not answer the last one is gone, whatever the kernel thinks. */
  #ping(clock: Clock): void {
    this.#stopPinging = clock.after(PING_MS, () => {
      if (!this.#isAlive && !this.#socket.isPaused) {
        this.destroy();
        return;
      }
      this.#isAlive = false;
      if (this.#isOpen) this.#socket.ping();
      this.#ping(clock);
    });
  }

  #ringAll(): void {
    for (const ring of this.#waiting.splice(0)) ring();
  }

  #over(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopPinging();
    this.#ringAll();
    this.#tellClosed();
  }

  #tellClosed(): void {
    this.#receiver?.ended();
    this.#receiver?.closed(this.#error);
  }
}

/** JSON has line ends only between its parts: there a space is as good. */
function asLine(message: Buffer): Buffer {
  const line = Buffer.allocUnsafe(message.length + 1);
  message.copy(line);
  for (const end of [NEWLINE, RETURN])
    for (let at = message.indexOf(end); at !== -1; at = message.indexOf(end, at + 1)) line[at] = SPACE;
  line[message.length] = NEWLINE;
  return line;
}
