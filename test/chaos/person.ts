import { setTimeout } from "node:timers/promises";
import { RpcError } from "../../src/acp/errors.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { AcpClient } from "../doubles/acp-client.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";
import type { JsonObject } from "../doubles/scripted-agent/ways.ts";

/** A prompt under a key, and how it ended: its stop reason, or the kind of its error. */
interface Asked {
  readonly steps: Step[];
  outcome: string | undefined;
  readonly ended: (outcome: string) => void;
}

/** Milliseconds between two tries to reach a hall. */
const AGAIN_MS = 25;

/**
 * A plain ACP client that wants its answers whatever happens: when the connection breaks it connects again,
 * resumes at the byte that it had come to, and sends again under its key what has no answer yet.
 *
 * `connect`: how it reaches the hall. What comes back by itself, as `hall acp` does, is just one connection.
 */
export class Person {
  readonly #connect: () => Promise<Transport>;
  readonly #cwd: string;
  readonly #asked = new Map<string, Asked>();
  #client: AcpClient | undefined;
  /** The client, once it is where it was. */
  #arrived: AcpClient | undefined;
  #sessionId: string | undefined;
  #journal: unknown;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Lines of this connection that were looked at. */
  #seen = 0;
  #over = false;
  #living: Promise<void> | undefined;
  /** Times that it was there, and had to come back. */
  returns = 0;
  /** What must not be: a sentence each. */
  readonly faults: string[] = [];

  constructor(connect: () => Promise<Transport>, cwd: string) {
    this.#connect = connect;
    this.#cwd = cwd;
  }

  get sessionId(): string {
    return this.#sessionId ?? "none";
  }

  /** All update lines of its session that it holds. */
  get held(): Buffer {
    this.#absorb();
    return Buffer.concat(this.#held);
  }

  /** The keys that were asked, and how each ended. */
  get outcomes(): [key: string, outcome: string | undefined][] {
    return [...this.#asked].map(([key, { outcome }]) => [key, outcome]);
  }

  outcomeOf(key: string): string | undefined {
    return this.#asked.get(key)?.outcome;
  }

  /** It has a connection, and is where it was. */
  get isThere(): boolean {
    return this.#arrived !== undefined;
  }

  get open(): number {
    return this.outcomes.filter(([, outcome]) => outcome === undefined).length;
  }

  /** Begins to live; resolves when it has a session. */
  async begin(): Promise<void> {
    this.#living = this.#live();
    while (this.#sessionId === undefined && !this.#over) await setTimeout(AGAIN_MS);
  }

  /** Resolves with how the turn ended, however often the connection breaks until then. */
  prompt(key: string, steps: Step[]): Promise<string> {
    return new Promise((ended) => {
      const asked: Asked = { steps, outcome: undefined, ended };
      this.#asked.set(key, asked);
      if (this.#arrived) this.#send(this.#arrived, key, asked);
    });
  }

  cancel(key: string): void {
    this.#arrived?.cancel(this.sessionId, { "hall/turn": key });
  }

  /** Its connection breaks. */
  stumble(): void {
    this.#client?.destroy();
  }

  async end(): Promise<void> {
    this.#over = true;
    this.#client?.destroy();
    await this.#living;
  }

  async #live(): Promise<void> {
    while (!this.#over) {
      try {
        const client = new AcpClient(await this.#connect(), this.#cwd);
        this.#client = client;
        this.#seen = 0;
        // Answers allow whatever is asked.
        client.answerWith(({ method }) =>
          method === "session/request_permission"
            ? { outcome: { outcome: "selected", optionId: "allow" } }
            : { error: { code: -32601, message: `"${method}" is not known here.` } },
        );
        void this.#arrive(client).catch(() => client.destroy());
        await client.closed;
        this.#absorb();
        // A connection may break in the middle of a line.
        const wrong = client.check.violations.filter(({ why }) => !why.includes("without its end"));
        this.faults.push(...wrong.map(({ line, why }) => `${why}: ${line}`));
        // One that a hall took while it was being killed was never there.
        if (this.#arrived === client) this.returns += 1;
      } catch {
        // Nobody is there just now.
      }
      this.#client = undefined;
      this.#arrived = undefined;
      if (!this.#over) await setTimeout(AGAIN_MS);
    }
  }

  async #arrive(client: AcpClient): Promise<void> {
    await client.initialize({ _meta: { "hall/echo": true } });
    if (this.#sessionId === undefined) {
      const { sessionId, _meta } = await client.newSession();
      this.#journal = _meta?.["hall/journal"];
      this.#sessionId = sessionId;
    } else await this.#resume(client, this.#sessionId);
    this.#arrived = client;
    for (const [key, asked] of this.#asked) if (asked.outcome === undefined) this.#send(client, key, asked);
  }

  async #resume(client: AcpClient, sessionId: string): Promise<void> {
    const place: JsonObject = { "hall/cursor": this.#heldBytes, "hall/journal": this.#journal };
    try {
      await client.resume(sessionId, { _meta: place });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.faults.push(`its place at ${this.#heldBytes} was refused: ${JSON.stringify(error.data)}`);
    }
  }

  #send(client: AcpClient, key: string, asked: Asked): void {
    client.prompt(this.sessionId, asked.steps, { "hall/turn": key }).then(
      ({ stopReason, _meta }) => {
        this.#absorb();
        const cursor = Number(_meta?.["hall/cursor"]);
        if (cursor > this.#heldBytes)
          this.faults.push(`the answer to ${key} came ${cursor - this.#heldBytes} bytes before its updates`);
        this.#settle(key, asked, stopReason);
      },
      (error: unknown) => {
        // The connection ended: the next one asks again.
        if (error instanceof RpcError && client === this.#client) this.#settle(key, asked, kindOf(error));
      },
    );
  }

  #settle(key: string, asked: Asked, outcome: string): void {
    // A hall that stops is asked again when it is back.
    if (outcome === "shutting_down") return;
    if (asked.outcome !== undefined) this.faults.push(`${key} was answered twice`);
    asked.outcome = outcome;
    asked.ended(outcome);
  }

  /** Takes the updates that came since the last look. */
  #absorb(): void {
    for (const { bytes, message } of this.#client?.received.slice(this.#seen) ?? []) {
      this.#seen += 1;
      if (message.method !== "session/update" || Object(message.params).sessionId !== this.#sessionId)
        continue;
      this.#held.push(bytes);
      this.#heldBytes += bytes.length;
    }
  }
}

const kindOf = (error: RpcError): string => String(Object(error.data).kind ?? error.message);
