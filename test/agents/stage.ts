import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectSocket } from "../../src/wire/tcp.ts";
import { AcpClient } from "../doubles/acp-client.ts";
import type { Received } from "../doubles/recording.ts";
import { FakeModel } from "./fake-model/fake-model.ts";
import { HallProcess } from "./hall-process.ts";
import { canSeeProcesses, endAll, markedWith } from "./processes.ts";
import type { RealAgent } from "./real/real-agent.ts";

const LAST_LINES = 5;

const shown = ({ bytes }: Received): string => bytes.toString("utf8", 0, 500).trimEnd();

/** A client, and the session in which it is. */
export interface Seat {
  readonly client: AcpClient;
  readonly sessionId: string;
}

/** All that the scenes with one agent need: a hall in which it has a slot, a model behind it, folders to work in. */
export class Stage {
  readonly agent: RealAgent;
  readonly model: FakeModel;
  readonly hall: HallProcess;
  readonly #folder: string;
  readonly #clients: AcpClient[] = [];
  readonly #sessions = new Map<string, { readonly sessionId: string; readonly cwd: string }>();

  private constructor(agent: RealAgent, model: FakeModel, folder: string) {
    this.agent = agent;
    this.model = model;
    this.#folder = folder;
    mkdirSync(this.home);
    const slot = agent.prepare({ home: this.home, model: model.address });
    this.hall = new HallProcess(join(folder, "hall"), {
      [agent.name]: { ...slot, cancel_tools: false },
      [this.tidySlot]: { ...slot, cancel_tools: true },
    });
  }

  static async set(agent: RealAgent): Promise<Stage> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "hall-agents-")));
    const stage = new Stage(agent, await FakeModel.start(), folder);
    await stage.hall.start();
    return stage;
  }

  /** The agent's home directory. It stands in the environment of all its processes, and of no others. */
  get home(): string {
    return join(this.#folder, "home");
  }

  /** The slot whose cancels also end the commands that the agent leaves. */
  get tidySlot(): string {
    return `${this.agent.name}-tidy`;
  }

  /** A new empty folder, gone with the stage. */
  workFolder(): string {
    return mkdtempSync(join(this.#folder, "work-"));
  }

  /**
   * A new client in the lasting session of that slot. Sessions outlive clients: each scene finds it as the scene before
   * left it. With `echo` the client gets the user's own lines too.
   */
  async join({ slot = this.agent.name, echo = false } = {}): Promise<Seat> {
    const lasting = this.#sessions.get(slot);
    const client = await this.#connect(lasting?.cwd ?? this.workFolder(), echo);
    if (lasting) {
      await client.load(lasting.sessionId);
      return { client, sessionId: lasting.sessionId };
    }
    const { sessionId } = await client.newSession({ _meta: { "hall/slot": slot } });
    this.#sessions.set(slot, { sessionId, cwd: client.cwd });
    if (this.agent.askingMode !== undefined) await client.setMode(sessionId, this.agent.askingMode);
    return { client, sessionId };
  }

  /** Ends the clients of one scene. Throws when a line that one of them got broke the protocol. */
  async clear(): Promise<void> {
    const clients = this.#clients.splice(0);
    await Promise.all(clients.map((client) => client.close()));
  }

  /** After a scene that went wrong, the next one begins with new sessions. */
  async forget(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    if (!this.hall.runs) return;
    const client = await this.#connect(this.workFolder(), false);
    for (const { sessionId } of sessions) await client.deleteSession(sessionId);
  }

  /** What the hall logged, and what each client of the scene got last: to see why it went wrong. */
  get lastWords(): string {
    const clients = this.#clients.map(({ received }, index) =>
      [
        `client ${index + 1}, its last lines of ${received.length}:`,
        ...received.slice(-LAST_LINES).map(shown),
      ].join("\n"),
    );
    return [this.hall.said, ...clients, ""].join("\n");
  }

  /** Takes everything down; what a scene that went wrong left running, too. */
  async strike(): Promise<void> {
    await this.hall.stop();
    await this.model.stop();
    if (canSeeProcesses) endAll(markedWith(this.home));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #connect(cwd: string, echo: boolean): Promise<AcpClient> {
    const client = new AcpClient(await connectSocket(this.hall.tcp), cwd);
    this.#clients.push(client);
    await client.initialize({ _meta: { "hall/echo": echo } });
    return client;
  }
}
