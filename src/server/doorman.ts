import { invalidRequest } from "../acp/errors.ts";
import type { Cancel } from "../ground/clock.ts";
import { PassingTransport } from "../wire/passing.ts";
import type { Receiver, Transport } from "../wire/transport.ts";
import type { Farewells } from "./farewells.ts";

/**
 * How those begin who took this port for another one. HTTP/1 by its method, HTTP/2 by its preface (RFC 9113, 3.4),
 * JSON-RPC framed by headers as language servers do, TLS by its first record (RFC 8446, 5.1).
 */
const MISTAKES: readonly { begins: string; speaks: string }[] = [
  ...["GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "CONNECT ", "OPTIONS ", "TRACE ", "PATCH ", "PRI * "].map(
    (begins) => ({ begins, speaks: "HTTP" }),
  ),
  ...["Content-Length:", "Content-Type:"].map((begins) => ({ begins, speaks: "header-framed messages" })),
  { begins: "\x16\x03", speaks: "TLS" },
];

/**
 * The transport of a connection whose first bytes are looked at before anybody else gets them. Whoever does not
 * speak lines of JSON is told so in one, and sent away; from then on its receiver hears only that it closed.
 */
export class Doorman extends PassingTransport {
  readonly #farewells: Farewells;
  readonly #mistaken: () => void;
  #state: "looking" | "letting through" | "sending away" = "looking";
  #seen: Buffer = Buffer.alloc(0);
  #gone: Cancel = () => {};

  /** `mistaken`: somebody is sent away. */
  constructor(inner: Transport, farewells: Farewells, mistaken: () => void = () => {}) {
    super(inner);
    this.#farewells = farewells;
    this.#mistaken = mistaken;
  }

  override start(receiver: Receiver): void {
    this.inner.start({
      chunk: (bytes) => {
        if (this.#state === "letting through") receiver.chunk(bytes);
        else if (this.#state === "looking") this.#look(bytes, receiver);
      },
      ended: () => {
        if (this.#state === "looking") this.#letThrough(receiver);
        if (this.#state === "letting through") receiver.ended();
      },
      closed: (error) => {
        this.#gone();
        receiver.closed(error);
      },
    });
    // A TCP socket is accepted paused: nothing is read before it is known who may come in.
    this.inner.resume();
  }

  override write(bytes: Buffer): void {
    if (this.#state !== "sending away") this.inner.write(bytes);
  }

  override pause(): void {
    if (this.#state !== "sending away") this.inner.pause();
  }

  /** Bytes may come one by one: as long as they can still become a mistake, they are kept. */
  #look(bytes: Buffer, receiver: Receiver): void {
    this.#seen = Buffer.concat([this.#seen, bytes]);
    const text = this.#seen.toString("latin1", 0, LONGEST).toLowerCase();
    const mistake = MISTAKES.find(({ begins }) => text.startsWith(begins.toLowerCase()));
    if (mistake) this.#sendAway(mistake.speaks);
    else if (!MISTAKES.some(({ begins }) => begins.toLowerCase().startsWith(text)))
      this.#letThrough(receiver);
  }

  #letThrough(receiver: Receiver): void {
    const seen = this.#seen;
    this.#seen = Buffer.alloc(0);
    this.#state = "letting through";
    if (seen.length > 0) receiver.chunk(seen);
  }

  #sendAway(speaks: string): void {
    this.#state = "sending away";
    this.#seen = Buffer.alloc(0);
    this.#mistaken();
    const why = invalidRequest(
      `This port speaks ACP, one JSON message a line, and got ${speaks}: connect an ACP client to it.`,
    );
    this.#gone = this.#farewells.say(this.inner, why);
  }
}

const LONGEST = Math.max(...MISTAKES.map(({ begins }) => begins.length));
