import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import { anthropic } from "./apis/anthropic.ts";
import type { Api } from "./apis/api.ts";
import { chat } from "./apis/chat.ts";
import { gemini } from "./apis/gemini.ts";
import { responses } from "./apis/responses.ts";
import { keep, sendStream } from "./event-stream.ts";
import { asked, type Exchange, shownHeaders } from "./exchange.ts";
import { Exchanges } from "./exchanges.ts";
import { type Answer, silences } from "./script/answer.ts";
import type { Conversation } from "./script/conversation.ts";
import { play } from "./script/play.ts";
import { smallAnswer } from "./small-answers.ts";

const APIS: readonly Api[] = [anthropic, chat, responses, gemini];
const LARGEST_BODY = 64 * 1024 * 1024;

/**
 * A model provider that plays from a script, so that real agents run without a key and without a network. It listens
 * on loopback only and speaks the APIs of Anthropic, OpenAI (chat completions and responses) and Gemini. What it
 * answers stands in the prompt: see `Cue`.
 */
export class FakeModel {
  readonly #server: Server;
  readonly #exchanges = new Exchanges();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => refuse(response, error));
    });
  }

  static async start(): Promise<FakeModel> {
    const model = new FakeModel();
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    return model;
  }

  /** The root of all its APIs: `http://127.0.0.1:PORT`. */
  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The fake model was stopped.");
    return `http://127.0.0.1:${address.port}`;
  }

  /** All requests so far, in order. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges.all;
  }

  /** The first request for which `wanted` holds, at once or as soon as it does. */
  until(wanted: (exchange: Exchange) => boolean): Promise<Exchange> {
    return this.#exchanges.until(wanted);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers } = request;
    const { pathname: path } = new URL(request.url ?? "/", "http://127.0.0.1");
    const body = await readJson(request);
    const seen = { method, path, headers: shownHeaders(headers), body };

    const api = method === "POST" ? APIS.find((known) => known.serves(path)) : undefined;
    if (api) return this.#converse(api, seen, response);

    const ended = this.#exchanges.begin(seen);
    const small = smallAnswer(method, path);
    document(
      response,
      small ? 200 : 404,
      small ?? { error: { message: `There is no ${method} ${path} here.` } },
    );
    ended("answered");
  }

  async #converse(api: Api, seen: Exchange, response: ServerResponse): Promise<void> {
    let conversation: Conversation;
    try {
      conversation = api.read(seen.body, seen.path);
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      this.#exchanges.begin(seen)("answered");
      return document(response, 400, api.failure({ status: 400, message: z.prettifyError(error) }));
    }
    const gone = new AbortController();
    const ended = this.#exchanges.begin({ ...seen, asked: asked(api.name, conversation) });
    response.once("close", () => {
      gone.abort();
      ended(response.writableFinished ? "answered" : "hung up");
    });
    await answer(api, conversation, play(conversation), response, gone.signal);
  }
}

async function answer(
  api: Api,
  conversation: Conversation,
  played: Answer,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  if ("failure" in played) return document(response, played.failure.status, api.failure(played.failure));
  const { blocks } = played;
  if (conversation.stream) return sendStream(response, api.stream(conversation, blocks), gone);
  for (const silence of silences(blocks)) await keep(silence, response, gone);
  if (!gone.aborted && !response.destroyed) document(response, 200, api.whole(conversation, blocks));
}

function document(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
}

/** A cue that cannot be played, or a client that went while it was still asking. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else document(response, 500, { error: { message: String(error) } });
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new Error(`The request is larger than ${LARGEST_BODY} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return null;
  }
}
