import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Clock, systemClock } from "../../src/ground/clock.ts";
import { type Disk, realDisk } from "../../src/ground/disk.ts";
import { type Roster, rosterOf } from "../../src/hall/roster.ts";
import { Service } from "../../src/server/service.ts";
import { newToken, type TokenWishes } from "../../src/server/token.ts";
import { changeTokens } from "../../src/server/token-file.ts";
import { connectSocket } from "../../src/wire/tcp.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { AcpClient } from "./acp-client.ts";
import { type AgentTranscript, agentTranscripts, checkTranscripts } from "./agent-transcripts.ts";
import { agentCommand } from "./scripted-agent/command.ts";
import type { JsonObject, Ways } from "./scripted-agent/ways.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A slot as the roster writes it; with `ways` instead of a program it runs a scripted agent. */
export type SlotOptions = JsonObject & { ways?: Ways };

export interface HallOptions {
  /** The first is the default. */
  slots: Record<string, SlotOptions>;
  /** The roster's other keys. */
  roster?: JsonObject;
  /** The hall's time; the system's unless a test moves the hands. */
  clock?: Clock;
  /** The hall's disk; the real one unless a test lets it fail. */
  disk?: Disk;
  /** Nobody is proven to be the hall's own user. */
  strangers?: boolean;
}

/** A whole hall in this process, on a free port of loopback, with its state in a folder of its own. */
export class TestHall {
  /** Its folder (canonical path), gone when the test ends. */
  readonly folder: string;
  /** A folder in it that exists: the `cwd` of its clients' sessions. */
  readonly work: string;
  /** What the hall said in its log: one line each. */
  readonly log: string[] = [];
  readonly #options: HallOptions;
  readonly #transcripts: string;
  readonly #clients: AcpClient[] = [];
  #lives = 1;
  #service: Service | undefined;
  readonly #dropped: Promise<void>[] = [];

  constructor(options: HallOptions, folder: string) {
    this.#options = options;
    this.folder = folder;
    this.work = join(folder, "work");
    this.#transcripts = join(folder, "transcripts");
    mkdirSync(this.work);
    mkdirSync(this.#transcripts);
  }

  get service(): Service {
    if (!this.#service) throw new Error("The hall does not run.");
    return this.#service;
  }

  get state(): string {
    return join(this.folder, `state-${this.#lives}`);
  }

  /** Makes a token, and answers it. */
  token(name: string, wishes: Partial<TokenWishes> = {}): string {
    const { token, secret } = newToken(
      { name, scopes: ["prompt", "approve"], slots: undefined, ...wishes },
      0,
    );
    changeTokens(join(this.folder, "tokens.yml"), (tokens) => [...tokens, token]);
    return secret;
  }

  revoke(name: string): void {
    changeTokens(join(this.folder, "tokens.yml"), (all) => all.filter((token) => token.name !== name));
  }

  /** A new connection over a transport of the test's own. */
  over(transport: Transport): AcpClient {
    const client = new AcpClient(transport, this.work);
    this.#clients.push(client);
    return client;
  }

  /** A new connection by TCP, not yet initialized, with `work` as its `cwd`. */
  async connect(): Promise<AcpClient> {
    const [host = "", port] = (this.service.addresses.tcp ?? "").split(/:(?=\d+$)/);
    return this.over(await connectSocket({ host, port: Number(port) }));
  }

  /**
   * Stops the hall and starts it again, or (`kill`) drops it where it stands: the next one begins with what was on
   * the disk in that very moment, as after a SIGKILL.
   */
  async restart(how: "stop" | "kill"): Promise<void> {
    if (how === "stop") await this.stop();
    else this.#drop();
    await this.start();
  }

  async start(): Promise<void> {
    const { clock = systemClock, disk = realDisk, strangers } = this.#options;
    const roster = this.#write(this.#options);
    const say = (detail: object, message: string): void => {
      this.log.push(`${message} ${JSON.stringify(detail)}`);
    };
    this.#service = await Service.start({
      roster,
      version: "0.0.0-test",
      clock,
      disk,
      environment: { ...process.env, XDG_RUNTIME_DIR: this.folder },
      log: { info: say, warn: say, debug: () => {} },
      stopAsked: () => void this.stop(),
      ...(strangers ? { isSameUser: () => false } : {}),
    });
  }

  /** The roster's file says this from now on; the hall is told nothing. Answers the file. */
  rewrite(change: Partial<Pick<HallOptions, "slots" | "roster">>): string {
    return this.#write({ ...this.#options, ...change }).file;
  }

  async stop(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    const stopped = service?.stop(0);
    service?.hall.hurry();
    await stopped;
  }

  /** What each scripted agent of this hall read and wrote so far, oldest first, the dead ones too. */
  agents(): AgentTranscript[] {
    return agentTranscripts(this.#transcripts);
  }

  async end(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    await this.stop();
    await Promise.all(this.#dropped);
    for (const client of this.#clients) client.check.expectNoViolations();
    checkTranscripts(this.#transcripts);
  }

  #drop(): void {
    const { service, state } = this;
    this.#service = undefined;
    this.#lives += 1;
    // With an id of its own: what is dropped here ends its agents later, by a mark that the next one's must not carry.
    cpSync(state, this.state, { recursive: true, filter: (file) => !/(\.sock|lock|\/id)$/.test(file) });
    this.#dropped.push(service.stop(0));
    service.hall.hurry();
  }

  #write({ slots, roster = {} }: HallOptions): Roster {
    const values = {
      listen: { tcp: "127.0.0.1:0" },
      state: this.state,
      ...roster,
      slots: Object.fromEntries(Object.entries(slots).map(([name, slot]) => [name, this.#slot(slot)])),
    };
    const written = rosterOf(values, { folder: this.folder });
    writeFileSync(written.file, written.text, { mode: 0o600 });
    return written;
  }

  #slot({ ways, ...slot }: SlotOptions): JsonObject {
    if (!ways) return slot;
    const { HALL_TEST_ISOLATION: isolation = "session" } = process.env;
    return { command: agentCommand({ ...ways, transcript: this.#transcripts }), isolation, ...slot };
  }
}

/**
 * Starts a hall. When the test ends it is stopped, and the test fails if a line that it wrote, to a client
 * or to a scripted agent, broke ACP's schema.
 */
export async function startHall(options: HallOptions): Promise<TestHall> {
  const hall = new TestHall(options, temporaryFolder());
  onTestFinished(() => hall.end());
  await hall.start();
  return hall;
}
