import { isFields } from "../acp/checks.ts";
import { methodNotFound } from "../acp/errors.ts";
import type { Clock } from "../ground/clock.ts";
import { parsed } from "../ground/json.ts";
import { messageOf } from "../ground/thrown.ts";
import { ASK, type HookAnswer, refusedUnasked as no, SOCKET_VARIABLE } from "../permission/hook-question.ts";
import { Peer } from "../wire/peer.ts";
import { connectSocket } from "../wire/tcp.ts";
import { formatOf, type HookEnd, type HookFormat } from "./hook-format.ts";

export interface HookRunParts {
  format: "claude-code" | "json";
  /** Milliseconds. */
  deadline: number;
  outside: "deny" | "pass";
  clock: Clock;
  environment: NodeJS.ProcessEnv;
}

/** Of what is read on stdin, and of the hall's answer. */
const LONGEST_BYTES = 32 * 2 ** 20;
/** The hall is told to give up so much sooner, so that its word of who did not answer still comes. */
const HEAD_START_MS = 1_000;

/** One run of a hook: from what is read on stdin to one decision, which is a no unless the hall said yes. */
export class HookRun {
  readonly #parts: HookRunParts;
  readonly #format: HookFormat;

  constructor(parts: HookRunParts) {
    this.#parts = parts;
    this.#format = formatOf(parts.format);
  }

  /** Ends the process. */
  async run(): Promise<void> {
    const { clock, deadline, environment, outside } = this.#parts;
    const late = new Promise<HookAnswer>((resolve) => {
      clock.after(deadline, () => resolve(no(`Nobody answered within ${deadline / 1000} s.`)));
    });
    const socket = environment[SOCKET_VARIABLE];
    if (!socket && outside === "pass") {
      this.#end(this.#format.passed());
      return;
    }
    const decided = socket ? this.#ask(socket) : Promise.resolve(no(OUTSIDE));
    this.#end(this.#format.say(await Promise.race([decided, late])));
  }

  async #ask(path: string): Promise<HookAnswer> {
    try {
      const params = this.#format.read(parsed(await readAll()));
      if (!params) return no("What the hook got on stdin is no question: it says no tool.");
      const timeout = Math.max(0, this.#parts.deadline - HEAD_START_MS) / 1000;
      return answerOf(await askOn(path, { ...params, timeout: Math.min(timeout, timeoutOf(params)) }));
    } catch (error) {
      return no(`The hall could not be asked (${messageOf(error)}).`);
    }
  }

  /** The process ends when all is written; if that fails, in a way that is a no, too. */
  #end({ stdout, stderr, code }: HookEnd): void {
    process.stderr.write(stderr);
    process.stdout.on("error", () => process.exit(2));
    process.stdout.write(stdout, (error) => process.exit(error ? 2 : code));
  }
}

const OUTSIDE =
  `This agent does not run in a hall, so nobody can be asked: ${SOCKET_VARIABLE} is not set. ` +
  "hall permit --outside pass leaves it to the agent then.";

const timeoutOf = ({ timeout }: { timeout?: unknown }): number =>
  typeof timeout === "number" && timeout >= 0 ? timeout : Number.POSITIVE_INFINITY;

/** Only the very word is a yes. */
function answerOf(result: unknown): HookAnswer {
  if (!isFields(result)) return no("The hall gave an answer that is none.");
  const { decision, scope, message } = result;
  return {
    decision: decision === "allow" ? "allow" : "deny",
    scope: scope === "session" ? "session" : "once",
    message: typeof message === "string" ? message : "The hall did not say why.",
  };
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > LONGEST_BYTES) throw new Error(`more than ${LONGEST_BYTES} bytes came on stdin`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function askOn(path: string, params: object): Promise<unknown> {
  const transport = await connectSocket({ path });
  const peer = new Peer(transport, LONGEST_BYTES, {
    request: (request) => request.fail(methodNotFound(request.method).body),
    notification() {},
    fault() {},
    stray() {},
    readEnd() {},
    tooLong: () => peer.destroy(),
    ended: () => peer.destroy(),
    closed() {},
    broke: () => peer.destroy(),
  });
  peer.start();
  return peer.ask(ASK, params);
}
