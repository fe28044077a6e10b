import { tmpdir } from "node:os";
import { type Fields, fieldsOf, isFields } from "../../../src/acp/checks.ts";
import { Dice } from "../../doubles/dice.ts";
import type { Answer, CrashClient } from "./crash-client.ts";
import { CrashDisk } from "./crash-disk.ts";
import { Life, STATE } from "./life.ts";
import { AgentWorld, MODES } from "./memory-agent.ts";

/** A prompt of the load. */
interface Sent {
  text: string;
  keyed: boolean;
  /** It may have been cancelled. */
  cancelled: boolean;
  answer: Answer | undefined;
}

/** What a session's record tells of a turn. */
interface Recorded {
  accepted: boolean;
  started: boolean;
  ended: boolean;
}

/** Where the machine stops: at a change of the disk, counted from 1; past the last one, after the load. */
export interface Crash {
  seed: number;
  at: number;
}

const never = (): Promise<never> => new Promise(() => {});

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A hall under a scripted load, whose machine stops in the middle of a change of the disk; then another one on
 * what is left, to which the client comes back. Throws where something was lost or done twice.
 */
export class Story {
  readonly #name: string;
  readonly #dice: Dice;
  readonly #world = new AgentWorld();
  /** Power is cut, and not only the process killed: then what was not synced may be gone. */
  readonly #powerCut: boolean;
  /** The hall is stopped after the load, at once, with what is still open. */
  readonly #stops: boolean;
  readonly #sent: Sent[] = [];
  #disk: CrashDisk;
  #life: Life | undefined;
  #boots = 1;
  #sessionId: string | undefined;
  #journal: unknown;
  /** All update lines that the client holds. */
  #held: Buffer = Buffer.alloc(0);
  #mode: string = MODES[0];
  /** A mode that was asked for, and not confirmed. */
  #wantedMode: string | undefined;

  constructor({ seed, at }: Crash) {
    this.#name = `HALL_CRASH=${seed}:${at}`;
    this.#dice = new Dice(seed);
    this.#powerCut = this.#dice.below(4) === 0;
    this.#stops = this.#dice.below(3) === 0;
    this.#disk = new CrashDisk(new Dice(seed + at * 7919));
    this.#disk.crashAt = at;
  }

  /** Answers how many changes of the disk the load made. */
  async run(): Promise<number> {
    try {
      const changes = await this.#untilCrash(async (life) => {
        await this.#load(life);
        if (this.#stops) await life.stop();
        else await this.#until(() => this.#sent.every(({ answer }) => answer));
        return this.#disk.changes;
      });
      // The next life may end early too: what was begun to be mended is then mended by the one after it.
      if (this.#dice.below(3) === 0) {
        this.#nextDisk();
        this.#disk.crashAt = 1 + this.#dice.below(12);
        await this.#untilCrash((life) => this.#comeBack(life));
      }
      await this.#lastLife();
      return changes ?? 0;
    } catch (error) {
      throw new Error(this.#name, { cause: error });
    }
  }

  /** Lives until `work` is done or the machine stops; then nothing of it is left but the disk. */
  async #untilCrash<T>(work: (life: Life) => Promise<T>): Promise<T | undefined> {
    const disk = this.#disk;
    let done: T | undefined;
    try {
      this.#life = this.#begin();
      const over = work(this.#life).then((result) => {
        done = result;
      });
      // What a machine that stopped has not done is never done.
      over.catch(() => {});
      await Promise.race([over, this.#stopped(disk)]);
    } catch (error) {
      if (!disk.crashed) throw error;
    }
    disk.crashed = true;
    return done;
  }

  async #stopped(disk: CrashDisk): Promise<void> {
    while (!disk.crashed && this.#disk === disk) await settled();
    for (let more = 0; more < 3; more += 1) await settled();
  }

  #begin(): Life {
    return new Life(this.#disk, this.#world, `boot ${this.#boots}`, this.#powerCut ? "power" : "process");
  }

  #nextDisk(): void {
    this.#disk = this.#disk.afterwards(this.#powerCut, new Dice(this.#dice.below(2 ** 30)));
    if (this.#powerCut) this.#boots += 1;
  }

  /** Never comes back when the machine stops first: whoever waits has gone with it. */
  async #until(done: () => boolean): Promise<void> {
    const disk = this.#disk;
    for (let looks = 0; looks < 5_000; looks += 1) {
      if (disk.crashed) return never();
      if (done()) return;
      await settled();
    }
    throw new Error("nothing happens any more");
  }

  async #answerTo(asked: Promise<Answer>): Promise<Answer> {
    let answer: Answer | undefined;
    void asked.then((came) => {
      answer = came;
    });
    await this.#until(() => answer !== undefined);
    return answer ?? never();
  }

  // The load

  async #load(life: Life): Promise<void> {
    const client = life.connect();
    await this.#answerTo(client.ask("initialize", INITIALIZE));
    const made = resultOf(await this.#answerTo(client.ask("session/new", { cwd: tmpdir(), mcpServers: [] })));
    this.#sessionId = String(made.sessionId);
    this.#journal = metaOf(made)["hall/journal"];
    this.#watch(client);
    for (let step = 0; step < 6; step += 1) {
      await this.#step(client, life, step);
      for (let ticks = this.#dice.below(4); ticks > 0; ticks -= 1) await settled();
      await this.#until(() => true);
    }
  }

  async #step(client: CrashClient, life: Life, number: number): Promise<void> {
    switch (this.#dice.below(9)) {
      case 0:
        life.clock.advance(1_100);
        break;
      case 1:
        if (this.#wantedMode === undefined) this.#chooseMode(client, this.#dice.oneOf(MODES));
        break;
      case 2:
        await this.#until(() => this.#sent.every(({ answer }) => answer));
        break;
      case 3:
        this.#cancelSome(client);
        break;
      case 4:
        this.#prompt(client, this.#newPrompt(`p${number}:${this.#dice.below(3)}`, false));
        break;
      default:
        this.#prompt(client, this.#newPrompt(`k${number}:${this.#dice.below(5)}`, true));
    }
  }

  #newPrompt(text: string, keyed: boolean): Sent {
    const sent: Sent = { text, keyed, cancelled: false, answer: undefined };
    this.#sent.push(sent);
    return sent;
  }

  #prompt(client: CrashClient, sent: Sent): Sent {
    const { text, keyed } = sent;
    const params = { sessionId: this.#sessionId, prompt: [{ type: "text", text }] };
    const asked = client.ask("session/prompt", keyed ? { ...params, _meta: { "hall/turn": text } } : params);
    void asked.then((answer) => {
      sent.answer = answer;
    });
    return sent;
  }

  #chooseMode(client: CrashClient, modeId: string): void {
    this.#wantedMode = modeId;
    void client.ask("session/set_mode", { sessionId: this.#sessionId, modeId }).then(() => {
      this.#mode = modeId;
      this.#wantedMode = undefined;
    });
  }

  #cancelSome(client: CrashClient): void {
    const open = this.#sent.filter(({ keyed, answer }) => keyed && !answer);
    const last = open[this.#dice.below(open.length)];
    if (!last) return;
    for (const sent of this.#sent.slice(0, this.#sent.indexOf(last) + 1)) sent.cancelled = true;
    client.notify("session/cancel", { sessionId: this.#sessionId, _meta: { "hall/turn": last.text } });
  }

  /** What comes to a client is what it holds, from the moment in which it comes. */
  #watch(client: CrashClient, before: Buffer = Buffer.alloc(0)): void {
    client.onUpdate = () => {
      this.#held = Buffer.concat([before, client.updates]);
    };
  }

  // Afterwards

  async #lastLife(): Promise<void> {
    const crashed = this.#disk;
    const turns = this.#recordedTurns();
    const heldBefore = this.#held;
    const askedBefore = this.#world.asked.length;
    const torn = this.#sessionId !== undefined && !endsWell(crashed.text(this.#file("updates.jsonl")));
    this.#nextDisk();
    this.#disk.crashAt = 0;
    const life = this.#begin();
    const client = await this.#comeBack(life);
    if (this.#sessionId === undefined || !client) return;
    if (torn && !this.#powerCut)
      expectThat(
        life.log.some((line) => line.includes("torn")),
        "torn, unsaid",
      );
    this.#checkOutcomes(turns);
    if (!this.#powerCut) {
      this.#checkRuns(turns, this.#world.asked.slice(askedBefore));
      const journal = Buffer.from(this.#disk.text(this.#file("updates.jsonl")));
      expectThat(
        journal.subarray(0, heldBefore.length).equals(heldBefore),
        "bytes that a client held are gone",
      );
    }
    expectThat(client.surplus === 0, "a request was answered twice");
    this.#checkFiles();
    await life.stop();
    this.#checkFiles();
  }

  /** The client comes back: where it was if it can, else from the start. Undefined: there is nothing to come back to. */
  async #comeBack(life: Life): Promise<CrashClient | undefined> {
    const client = life.connect();
    await this.#answerTo(client.ask("initialize", INITIALIZE));
    const sessionId = this.#sessionId;
    if (sessionId === undefined) return undefined;
    this.#watch(client, this.#held);
    const _meta = { "hall/cursor": this.#held.length, "hall/journal": this.#journal };
    const resumed = await this.#answerTo(client.ask("session/resume", { sessionId, cwd: tmpdir(), _meta }));
    if ("error" in resumed) {
      if (resumed.error.code === -32002) {
        const lost = this.#powerCut && !this.#sent.some(({ answer }) => answer && "result" in answer);
        const accepted = Object.values(this.#recordedTurns()).some((turn) => turn.accepted);
        expectThat(lost || !accepted, "a session with turns is gone");
        this.#sessionId = undefined;
        return undefined;
      }
      const { kind, journal } = fieldsOf(resumed.error.data);
      expectThat(kind === "bad_cursor" && journal !== this.#journal, `refused: ${JSON.stringify(resumed)}`);
      this.#watch(client);
    }
    const back =
      "error" in resumed
        ? await this.#answerTo(client.ask("session/load", { sessionId, cwd: tmpdir(), mcpServers: [] }))
        : resumed;
    const result = resultOf(back);
    this.#journal = metaOf(result)["hall/journal"];
    if (!this.#powerCut) this.#checkMode(fieldsOf(result.modes ?? {}).currentModeId);
    await this.#askAgain(client);
    return client;
  }

  /** All keyed prompts again, in their order: those without an answer, and those with one, which must be the same. */
  async #askAgain(client: CrashClient): Promise<void> {
    this.#newPrompt(`n${this.#sent.length}:1`, true);
    const again = this.#sent
      .filter(({ keyed }) => keyed)
      .map((sent) => ({
        sent,
        first: sent.answer,
        prompt: this.#prompt(client, { ...sent, answer: undefined }),
      }));
    await this.#until(() => again.every(({ prompt }) => prompt.answer));
    for (const { sent, first, prompt } of again) {
      const [was, is] = [first && outcomeOf(first), prompt.answer && outcomeOf(prompt.answer)];
      expectThat(was === undefined || was === is, `${sent.text} was ${was}, is ${is}`);
      sent.answer = prompt.answer;
    }
  }

  // What must be so

  #checkOutcomes(turns: Readonly<Record<string, Recorded>>): void {
    for (const { text, keyed, cancelled, answer } of this.#sent) {
      if (!keyed) continue;
      expectThat(answer !== undefined, `${text} was not answered`);
      const outcome = answer && outcomeOf(answer);
      const mayBeCut = this.#powerCut || turns[text]?.started === true;
      const right =
        outcome === "end_turn" ||
        (outcome === "cancelled" && (cancelled || (this.#stops && mayBeCut))) ||
        (outcome === "interrupted" && mayBeCut);
      expectThat(right, `${text} ended as ${outcome}`);
      if (outcome === "end_turn" && !this.#powerCut)
        expectThat(this.#timesAsked(text) === 1, `${text} never ran`);
    }
    for (const { text } of this.#sent)
      expectThat(this.#powerCut || this.#timesAsked(text) <= 1, `${text} ran twice`);
  }

  /** What ran in the last life: nothing without a key, nothing that had started, the rest in order and in the mode in force. */
  #checkRuns(turns: Readonly<Record<string, Recorded>>, asked: AgentWorld["asked"]): void {
    const order = this.#sent.map(({ text }) => text);
    const places = asked.map(({ text }) => order.indexOf(text));
    expectThat(
      places.every((place, index) => index === 0 || place > (places[index - 1] ?? -1)),
      `order: ${places}`,
    );
    for (const { text, mode } of asked) {
      expectThat(text.startsWith("k") || text.startsWith("n"), `${text} ran, which nobody can find again`);
      expectThat(!turns[text]?.started, `${text} was sent again`);
      this.#checkMode(mode);
    }
  }

  #checkMode(mode: unknown): void {
    expectThat(
      mode === this.#mode || mode === this.#wantedMode,
      `mode ${mode}, and ${this.#mode} was chosen`,
    );
  }

  #checkFiles(): void {
    const journal = this.#disk.text(this.#file("updates.jsonl"));
    expectThat(this.#held.toString() === journal, "what the client holds is not what the journal holds");
    for (const name of this.#disk.under(STATE)) {
      if (!name.endsWith(".jsonl")) continue;
      const text = this.#disk.text(name);
      expectThat(endsWell(text), `${name} is torn`);
      for (const line of text.split("\n").filter(Boolean)) JSON.parse(line);
    }
    expectThat(
      this.#disk.under(this.#file("turns")).length === 0,
      "prompts that wait no more are still kept",
    );
    for (const [text, turn] of Object.entries(this.#recordedTurns()))
      expectThat(turn.ended, `${text} has no end`);
    const open = new Set<unknown>();
    for (const line of journal.split("\n").filter(Boolean)) {
      const { update } = fieldsOf(fieldsOf(JSON.parse(line)).params);
      const { sessionUpdate, toolCallId, status } = fieldsOf(update);
      if (sessionUpdate === "tool_call") open.add(toolCallId);
      if (status === "failed") open.delete(toolCallId);
    }
    expectThat(open.size === 0, "a tool call was left open");
  }

  #timesAsked(wanted: string): number {
    return this.#world.asked.filter(({ text }) => text === wanted).length;
  }

  #file(name: string): string {
    return `${STATE}/sessions/${this.#sessionId}/${name}`;
  }

  #recordedTurns(): Record<string, Recorded> {
    const turns: Record<string, Recorded> = {};
    const record = this.#disk.text(this.#file("session.jsonl"));
    // The last one may be torn, be it by its newline alone.
    for (const line of record
      .slice(0, record.lastIndexOf("\n") + 1)
      .split("\n")
      .filter(Boolean)) {
      const { type, turn } = fieldsOf(JSON.parse(line));
      if (typeof turn !== "string") continue;
      turns[turn] ??= { accepted: false, started: false, ended: false };
      const known = turns[turn];
      if (type === "accepted") known.accepted = true;
      if (type === "started") known.started = true;
      if (type === "ended") known.ended = true;
    }
    return turns;
  }
}

const INITIALIZE: Fields = { protocolVersion: 1, clientCapabilities: {}, _meta: { "hall/echo": true } };

function expectThat(is: boolean, otherwise: string): void {
  if (!is) throw new Error(otherwise);
}

const endsWell = (text: string): boolean => text === "" || text.endsWith("\n");

const metaOf = (result: Fields): Fields => fieldsOf(result._meta ?? {});

function resultOf(answer: Answer): Fields {
  if ("result" in answer) return answer.result;
  throw new Error(`it was refused: ${JSON.stringify(answer.error)}`);
}

function outcomeOf(answer: Answer): string {
  if ("result" in answer) return String(answer.result.stopReason);
  return String(isFields(answer.error.data) ? answer.error.data.kind : answer.error.message);
}
