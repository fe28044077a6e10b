import { failure, type HallFailure } from "../acp/errors.ts";
import type { Exit, Graces } from "../agents/process.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import { Bridge, type BridgeNews } from "../bridge/bridge.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import { showDuration } from "../ground/duration.ts";
import { messageOf } from "../ground/thrown.ts";
import { memoryPair } from "../wire/memory.ts";
import { MuffledTransport } from "../wire/muffled.ts";
import type { Transport } from "../wire/transport.ts";
import { farHallNews, sentence } from "./far-hall-news.ts";

export interface FarHallParts {
  /** The slot that leads there. */
  slot: string;
  /** Where that hall is, as people write it; without its token. */
  address: string;
  /** Its slot; undefined: its first. */
  farSlot: string | undefined;
  clock: Clock;
  /** Connects, and shows the token. Rejects with an error whose message is a sentence or two. */
  dial(): Promise<Transport>;
  /** What happens to the connection, as an agent would say it on stderr. */
  said(line: string): void;
}

/** A connection that takes longer is not made any more; ms. */
const DIAL_WITHIN_MS = 20_000;
/** How long a hall that is lost is waited for: as long as it would keep our place; ms. */
const PATIENCE_MS = 10 * 60_000;
/** What that hall gets to answer what is open, when we leave in good order; ms. */
const CLOSE_MS = 2_000;
const TAIL_LINES = 20;

/**
 * Another hall, held as any other agent is: ACP on a transport, and one end. In between runs a bridge, as `hall acp`
 * does for an editor: when the connection is lost, or that hall is started again, it comes back without loss.
 */
export class FarHall implements RunningAgent {
  readonly transport: Transport;
  readonly number = undefined;
  readonly mark = undefined;
  readonly pid = undefined;
  readonly #parts: FarHallParts;
  readonly #far: MuffledTransport;
  readonly #tail: string[] = [];
  #bridge: Bridge | undefined;
  /** That hall has answered who it is. */
  #met = false;
  #failure: HallFailure | undefined;
  #exit: Exit | undefined;
  #asked = false;
  #ending: Promise<void> | undefined;
  #rings: ((exit: Exit) => void)[] = [];
  #stopDialing: Cancel = () => {};

  constructor(parts: FarHallParts) {
    const [near, far] = memoryPair();
    this.transport = near;
    this.#far = new MuffledTransport(far);
    this.#parts = parts;
    this.#dial();
  }

  get exit(): Exit | undefined {
    return this.#exit;
  }

  get failure(): HallFailure | undefined {
    return this.#failure;
  }

  get asked(): boolean {
    return this.#asked;
  }

  get isAlive(): boolean {
    return this.#exit === undefined;
  }

  stderrTail(lines = TAIL_LINES): string[] {
    return this.#tail.slice(-lines);
  }

  onExit(ring: (exit: Exit) => void): void {
    if (this.#exit) ring(this.#exit);
    else this.#rings.push(ring);
  }

  /** There is no process to signal: that hall has been told to cancel, and climbs a ladder of its own. */
  interrupt(): void {}

  /** As `interrupt`. */
  terminate(): void {}

  /** Ends the connection at once. What that hall was told to cancel it ends by itself. */
  kill(): Promise<void> {
    this.#asked ||= this.#exit === undefined;
    this.#bridge?.drop();
    this.#ended({ code: 0, signal: null });
    return Promise.resolve();
  }

  /** That hall answers what is open, and knows that we do not come back. */
  stop({ close }: Graces = { close: CLOSE_MS, terminate: 0 }): Promise<void> {
    this.#ending ??= this.#leave(close);
    return this.#ending;
  }

  toolsSnapshot(): undefined {
    return undefined;
  }

  endToolsSince(): Promise<void> {
    return Promise.resolve();
  }

  #dial(): void {
    const { clock, dial } = this.#parts;
    const silent = (): void =>
      this.#cannotBegin(`It does not answer within ${showDuration(DIAL_WITHIN_MS)}.`);
    this.#stopDialing = clock.after(DIAL_WITHIN_MS, silent);
    dial().then(
      (hall) => {
        this.#stopDialing();
        if (this.#exit) hall.destroy();
        else void this.#run(hall);
      },
      (error: unknown) => this.#cannotBegin(messageOf(error)),
    );
  }

  async #run(hall: Transport): Promise<void> {
    const { clock, dial, farSlot } = this.#parts;
    this.#bridge = new Bridge({
      editor: this.#far,
      hall,
      reconnect: dial,
      patience: PATIENCE_MS,
      clock,
      slot: farSlot,
      met: () => {
        this.#met = true;
      },
      refused: ({ message }) => this.#cannotBegin(message),
      told: (news) => this.#tell(news),
    });
    const end = await this.#bridge.run();
    this.#ended({ code: end === "hall lost" ? 1 : 0, signal: null });
  }

  /** Nothing was begun with it: whoever wanted it hears why. */
  #cannotBegin(why: string): void {
    const { address, slot } = this.#parts;
    if (this.#exit) return;
    const what = `Slot "${slot}" cannot use the hall at ${address}. ${sentence(why)}`;
    this.#fail(failure("spawn_failed", what, { slot, address, stderr: [] }));
    this.#bridge?.drop();
    this.#ended({ code: 1, signal: null });
  }

  #tell(news: BridgeNews): void {
    const { address, slot } = this.#parts;
    this.#say(farHallNews(news, address, PATIENCE_MS));
    if (news.state !== "given up") return;
    const how =
      news.ms >= PATIENCE_MS
        ? `was lost, and did not come back within ${showDuration(PATIENCE_MS)}`
        : "was lost, and cannot be used any more";
    const what = `The hall at ${address}, behind slot "${slot}", ${how}: ${sentence(news.why)} What was asked there may have been done; the session stays.`;
    if (this.#met) this.#fail(failure("agent_exited", what, { slot, address, stderr: [] }));
    else this.#cannotBegin(news.why);
  }

  /** Nothing that it still answers counts: whoever waits learns this. */
  #fail(why: HallFailure): void {
    this.#failure ??= why;
    this.#far.muffled = true;
  }

  #say(line: string): void {
    this.#tail.push(line);
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
    this.#parts.said(line);
  }

  async #leave(close: number): Promise<void> {
    if (this.#exit) return;
    this.#asked = true;
    if (!this.#bridge) {
      await this.kill();
      return;
    }
    await new Promise<void>((resolve) => {
      const late = this.#parts.clock.after(close, () => void this.kill());
      this.onExit(() => {
        late();
        resolve();
      });
      this.transport.end();
    });
  }

  /** What it said lies in the transport: it is read before anybody is told of the end. */
  #ended(exit: Exit): void {
    if (this.#exit) return;
    this.#exit = exit;
    this.#stopDialing();
    this.#far.end();
    this.#far.onDrain(() => queueMicrotask(() => this.#ring(exit)));
  }

  #ring(exit: Exit): void {
    const rings = this.#rings;
    this.#rings = [];
    for (const ring of rings) ring(exit);
  }
}
