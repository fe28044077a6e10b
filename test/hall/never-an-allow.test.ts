import { assert, asyncProperty, constantFrom, nat, oneof, record, array as sequence } from "fast-check";
import { expect, it } from "vitest";
import { isFields } from "../../src/acp/checks.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { Events } from "../../src/hall/events.ts";
import { Questions } from "../../src/hall/questions.ts";
import type { Seat } from "../../src/hall/seat.ts";
import { SessionFiles } from "../../src/hall/session-files.ts";
import { Stream } from "../../src/hall/stream.ts";
import type { Viewer } from "../../src/hall/viewer.ts";
import { Desk } from "../../src/permission/desk.ts";
import { Judge } from "../../src/permission/judge.ts";
import { allows, type Option, type Outcome } from "../../src/permission/question.ts";
import { ShellParser } from "../../src/permission/shell-parser.ts";
import { readToolCall } from "../../src/permission/tool-call.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import type { Id } from "../../src/wire/message.ts";
import { Peer } from "../../src/wire/peer.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { LineCutter } from "../doubles/line-cutter.ts";
import { MemoryDisk } from "./memory-disk.ts";

const WITHIN_MS = 120_000;

const OFFERS: readonly (readonly Option[])[] = [
  [
    { optionId: "yes", kind: "allow_once" },
    { optionId: "no", kind: "reject_once" },
  ],
  [
    { optionId: "always", kind: "allow_always" },
    { optionId: "yes", kind: "allow_once" },
    { optionId: "never", kind: "reject_always" },
  ],
  [
    { optionId: "yes", kind: "allow_once" },
    { optionId: "yes", kind: "reject_once" },
  ],
  [{ optionId: "no", kind: "reject_once" }],
];

/** What a client may say, well or badly: the rest of a message whose id is put before it. */
const ANSWERS = [
  ...["yes", "always", "no", "never", "other"].map((optionId) => ({
    result: { outcome: { outcome: "selected", optionId } },
  })),
  { result: { outcome: { outcome: "cancelled", optionId: "yes" } } },
  { result: { outcome: { optionId: "yes" } } },
  { result: { outcome: "selected", optionId: "yes" } },
  { result: null },
  { error: { code: -32603, message: "Broken." } },
  { error: { code: -32601, message: "Unknown." } },
  { result: { outcome: { outcome: "selected", optionId: "yes" } }, error: { code: 1, message: "" } },
  { method: "session/request_permission", params: { optionId: "yes" } },
];

/** An answer as it is sent: by whom, under which id, and what. */
interface Said {
  person: Person;
  id: unknown;
  optionId: unknown;
}

/** A client with a real peer, whose other end the test holds: it sees what is written, and answers what it likes. */
class Person implements Viewer {
  readonly name: string;
  readonly title: string;
  readonly capabilities = {
    readTextFile: false,
    writeTextFile: false,
    terminal: false,
    elicitationForm: false,
    elicitationUrl: false,
    login: false,
  };
  readonly echo = false;
  readonly local = true;
  readonly returns = false;
  gone = false;
  blocked = false;
  canAnswer = true;
  readonly mayApprove = true;
  /** What was asked of it, by id: the number of the question. */
  readonly asked = new Map<unknown, number>();
  readonly defects: unknown[] = [];
  readonly #peer: Peer;
  readonly #far: Transport;
  #lagging: (() => boolean) | undefined;

  constructor(name: string) {
    this.name = name;
    this.title = name;
    const [near, far] = memoryPair();
    this.#far = far;
    this.#peer = new Peer(near, 1_000_000, {
      request: (request) => request.fail({ code: -32601, message: "No." }),
      notification() {},
      fault() {},
      stray() {},
      readEnd() {},
      tooLong() {},
      ended() {},
      closed() {},
      broke: (error) => {
        this.defects.push(error);
      },
    });
    const lines = new LineCutter((bytes) => this.#reads(JSON.parse(bytes.toString())));
    far.start({ chunk: (bytes) => lines.push(bytes), ended() {}, closed() {} });
    this.#peer.start();
  }

  write(lines: Buffer): void {
    this.#peer.send(lines);
  }

  relay(line: Buffer, settle: Parameters<Peer["relay"]>[1]): Id {
    return this.#peer.relay(line, settle);
  }

  forget(id: Id): void {
    this.#peer.forget(id);
  }

  notify(method: string, params: unknown): void {
    this.#peer.notify(method, params);
  }

  giveUp(): void {}

  lags(attachment: { pump(): boolean }): void {
    this.#lagging = () => attachment.pump();
  }

  unblock(): void {
    this.blocked = false;
    while (this.#lagging?.());
    this.#lagging = undefined;
  }

  says(message: object): void {
    this.#far.write(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  }

  #reads({ id, method, params }: Record<string, unknown>): void {
    if (method !== "session/request_permission" || !isFields(params) || !isFields(params.toolCall)) return;
    this.asked.set(id, Number(params.toolCall.toolCallId));
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A session whose agent asks, with two who look at it and one who looks at another. */
class Scene {
  readonly people = [new Person("ann"), new Person("bob"), new Person("eve")];
  readonly clock = new HandClock();
  readonly offered: (readonly Option[])[] = [];
  readonly outcomes: Outcome[][] = [];
  readonly #desk = new Desk(this.clock);
  readonly #disk = new MemoryDisk();
  readonly #ours = this.#session("a");
  readonly #others = this.#session("b");
  readonly #seats: Seat[];
  readonly #questions: Questions;
  /** What is being said now. */
  #saying: Said | undefined;
  readonly allows: { isChosen: boolean; wasAsked: boolean; isYes: boolean }[] = [];

  constructor() {
    const [ann, bob, eve] = this.people;
    if (!ann || !bob || !eve) throw new Error("nobody is there");
    this.#seats = [this.#ours.stream.seat(ann), this.#ours.stream.seat(bob), this.#others.stream.seat(eve)];
    let count = 0;
    this.#questions = new Questions({
      clock: this.clock,
      desk: this.#desk,
      judge: new Judge(new ShellParser()),
      events: new Events(),
      files: this.#ours.files,
      nextId: () => `q${++count}`,
      askees: () => this.#ours.stream.audience,
      law: () => ({ roster: [], session: [], cwd: "/" }),
      timeout: () => WITHIN_MS,
      changed: () => {},
      noticed: () => {},
    });
  }

  ask(options: readonly Option[]): void {
    const number = this.offered.push(options) - 1;
    const told: Outcome[] = [];
    this.outcomes.push(told);
    const toolCall = { toolCallId: String(number) };
    const params = { sessionId: this.#ours.files.id, toolCall, options };
    this.#questions.ask({
      asker: {},
      via: "agent",
      call: readToolCall(toolCall),
      toolCallId: undefined,
      title: undefined,
      options,
      line: Buffer.from(
        JSON.stringify({ jsonrpc: "2.0", id: 0, method: "session/request_permission", params }),
      ),
      turn: undefined,
      answer: (outcome) => {
        told.push(outcome);
        if (allows(outcome, options)) this.#noteAllow(number, outcome);
      },
    });
  }

  /** `id`: one that this person or another was asked under, or one that comes next. */
  async say(person: Person, id: unknown, answer: object): Promise<void> {
    const { outcome } = Object(Object(answer).result ?? {});
    const isChoice = "result" in answer && !("error" in answer) && Object(outcome).outcome === "selected";
    this.#saying = { person, id, optionId: isChoice ? Object(outcome).optionId : undefined };
    person.says({ id, ...answer });
    await settled();
    this.#saying = undefined;
  }

  /** Somebody goes and is there again. */
  comeBack(person: number): void {
    const seat = this.#seats[person];
    if (!seat) return;
    this.#desk.left(seat);
    this.#desk.came((person === 2 ? this.#others : this.#ours).files.id, seat);
  }

  cancel(): void {
    this.#questions.withdrawAll();
  }

  /** Notes an allow, and what speaks against it: it is what was just chosen, among what was offered, by one who was asked. */
  #noteAllow(number: number, outcome: Outcome): void {
    const said = this.#saying;
    const ofId = this.offered[number]?.filter(({ optionId }) => optionId === said?.optionId) ?? [];
    const isChosen =
      outcome.outcome === "selected" && said !== undefined && outcome.optionId === said.optionId;
    const wasAsked = said?.person.asked.get(said.id) === number;
    const isYes = ofId.length === 1 && ofId[0]?.kind.startsWith("allow_") === true;
    this.allows.push({ isChosen, wasAsked, isYes });
  }

  #session(digit: string) {
    const parts = { disk: this.#disk, clock: this.clock, noticed: () => {}, folder: "/sessions" };
    const created = {
      type: "created",
      at: 0,
      slot: "s",
      cwd: "/",
      additionalDirectories: [] as string[],
      owner: "local",
      journal: "j",
    } as const;
    const files = SessionFiles.create(`hs_${digit.repeat(32)}`, created, [], parts);
    const stream = new Stream({
      sessionId: files.id,
      journal: files.journal,
      desk: this.#desk,
      run: "run",
      broke(failed) {
        throw failed;
      },
      grown() {},
    });
    return { files, stream };
  }
}

const who = nat({ max: 2 });
const YES = ANSWERS[0] ?? {};
const step = oneof(
  { weight: 5, arbitrary: record({ ask: constantFrom(...OFFERS) }) },
  {
    weight: 10,
    arbitrary: record({
      say: constantFrom(...ANSWERS, YES, YES, YES, YES),
      by: who,
      /** Under an id that this one was asked under; undefined: under one of its own. */
      askedOf: oneof({ weight: 3, arbitrary: constantFrom(undefined) }, who),
      nth: nat({ max: 3 }),
      as: constantFrom("asked", "asked", "asked", "asked", "asked", "next", "text", "null"),
    }),
  },
  { weight: 1, arbitrary: record({ cancel: constantFrom(true) }) },
  { weight: 1, arbitrary: record({ pass: constantFrom(WITHIN_MS / 2, WITHIN_MS) }) },
  { weight: 1, arbitrary: record({ block: who }) },
  { weight: 1, arbitrary: record({ unblock: who }) },
  { weight: 1, arbitrary: record({ leave: who }) },
);

it("an agent sees an allow only for an offered option for it, chosen by a client that was asked this, while it was open", async () => {
  let allowed = 0;
  await assert(
    asyncProperty(sequence(step, { minLength: 15, maxLength: 50, size: "max" }), async (steps) => {
      const scene = new Scene();
      const person = (at: number): Person => scene.people[at] ?? new Person("nobody");
      for (const one of steps) {
        if ("ask" in one) scene.ask(one.ask);
        else if ("say" in one) {
          const ids = [...person(one.askedOf ?? one.by).asked.keys()];
          const asked = ids[one.nth % Math.max(1, ids.length)] ?? 0;
          const id = { asked, next: ids.length, text: String(asked), null: null }[one.as];
          await scene.say(person(one.by), id, one.say);
        } else if ("cancel" in one) scene.cancel();
        else if ("pass" in one) scene.clock.advance(one.pass);
        else if ("block" in one) person(one.block).blocked = true;
        else if ("unblock" in one) person(one.unblock).unblock();
        else scene.comeBack(one.leave);
        await settled();
      }
      scene.clock.advance(2 * WITHIN_MS);
      await settled();
      for (const outcomes of scene.outcomes) expect(outcomes).toHaveLength(1);
      expect(scene.people.flatMap(({ defects }) => defects)).toEqual([]);
      expect(scene.people[2]?.asked.size).toBe(0);
      for (const one of scene.allows) expect(one).toEqual({ isChosen: true, wasAsked: true, isYes: true });
      allowed += scene.allows.length;
    }),
    { numRuns: 300 },
  );
  expect(allowed).toBeGreaterThan(30);
});
