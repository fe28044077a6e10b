import { memoryPair } from "../../wire/memory.ts";
import { MuffledTransport } from "../../wire/muffled.ts";
import type { Transport } from "../../wire/transport.ts";
import type { AgentProcess, Exit } from "../process.ts";
import type { RunningAgent } from "../running-agent.ts";
import type { ToolsSnapshot } from "../tools.ts";
import { Runner, type RunnerParts } from "./runner.ts";

export type AdaptedAgentParts = Omit<RunnerParts, "lost" | "ended">;

/**
 * An adapter and its programs, held as any other agent is: ACP on a transport, and one end. The program that a session
 * lives by is its process: when that ends, it has ended. A one-shot command's run is no such program.
 */
export class AdaptedAgent implements RunningAgent {
  readonly transport: Transport;
  readonly #runner: Runner;
  readonly #far: MuffledTransport;
  #exit: Exit | undefined;
  #rings: ((exit: Exit) => void)[] = [];
  #ending: Promise<void> | undefined;
  #asked = false;

  constructor(parts: AdaptedAgentParts) {
    const [near, far] = memoryPair();
    this.transport = near;
    this.#far = new MuffledTransport(far);
    this.#runner = new Runner(this.#far, {
      ...parts,
      lost: (exit) => {
        this.#ended(exit);
        return true;
      },
      ended: () => void this.stop(),
    });
    this.#runner.start();
  }

  get number(): number | undefined {
    return this.#process?.number;
  }

  get mark(): string | undefined {
    return this.#process?.mark;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get exit(): Exit | undefined {
    return this.#exit;
  }

  get asked(): boolean {
    return this.#asked;
  }

  /** Between its programs it is alive, too. */
  get isAlive(): boolean {
    return this.#exit === undefined && this.#runner.children.every((child) => child.isAlive);
  }

  stderrTail(lines?: number): string[] {
    return this.#process?.stderrTail(lines) ?? [];
  }

  onExit(ring: (exit: Exit) => void): void {
    if (this.#exit) ring(this.#exit);
    else this.#rings.push(ring);
  }

  interrupt(): void {
    this.#asked = true;
    for (const child of this.#runner.children) child.interrupt();
  }

  terminate(): void {
    this.#asked = true;
    for (const child of this.#runner.children) child.terminate();
  }

  kill(): Promise<void> {
    return this.#end("kill");
  }

  stop(): Promise<void> {
    this.#ending ??= this.#end("stop");
    return this.#ending;
  }

  toolsSnapshot(): ToolsSnapshot | undefined {
    return this.#runner.children[0]?.toolsSnapshot();
  }

  async endToolsSince(snapshot: ToolsSnapshot | undefined): Promise<void> {
    await this.#runner.children[0]?.endToolsSince(snapshot);
  }

  get #process(): AgentProcess | undefined {
    return this.#runner.latest;
  }

  async #end(how: "stop" | "kill"): Promise<void> {
    if (!this.#exit) this.#asked = true;
    const latest = this.#process;
    // Nothing that is answered from here on counts: whoever waits learns that the agent has ended.
    this.#far.muffled = true;
    await this.#runner.stop(how);
    // What a child left behind when it went by itself is swept up by its own end.
    await latest?.stop();
    this.#ended(latest?.exit ?? { code: 0, signal: null });
  }

  /** What it said lies in the transport: it is read before anybody is told of the end. */
  #ended({ code, signal }: Exit): void {
    if (this.#exit) return;
    const exit = { code, signal };
    this.#exit = exit;
    this.#far.end();
    this.#far.onDrain(() => queueMicrotask(() => this.#tell(exit)));
  }

  #tell(exit: Exit): void {
    const rings = this.#rings;
    this.#rings = [];
    for (const ring of rings) ring(exit);
  }
}
