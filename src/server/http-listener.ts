import http from "node:http";
import https from "node:https";
import type net from "node:net";
import type { Duplex } from "node:stream";
import type tls from "node:tls";
import { RpcError } from "../acp/errors.ts";
import { messageOf } from "../ground/thrown.ts";
import type { Refused } from "../hall/events.ts";
import { type Grant, localGrant } from "../hall/grant.ts";
import type { Origin } from "../hall/origin.ts";
import type { Admission } from "./admission.ts";
import { Arrivals } from "./arrivals.ts";
import type { Health } from "./health.ts";
import { HostCheck, type HostCheckOptions } from "./host-check.ts";
import { HttpAnswer } from "./http-answer.ts";
import { boundAddress, listenOnPort } from "./listen.ts";
import type { Metrics } from "./metrics.ts";
import type { Ends } from "./same-user.ts";
import type { WebSocketDoor } from "./websocket-door.ts";

export interface HttpListenerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly tls?: tls.TlsOptions | undefined;
  /** Every user of this machine is trusted, not the hall's own alone. */
  trustLoopback(): boolean;
  /** `limits.clients`. */
  clients(): number;
  pages(): HostCheckOptions;
  readonly admission: Admission;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly door: WebSocketDoor;
  stopping(): boolean;
  refused(origin: Origin, why: Refused): void;
  report(error: Error): void;
  isSameUser?(ends: Ends): boolean;
}

/** A request comes in one piece, and soon: this is no place for slow readers. */
const REQUEST_MS = 10_000;
/** Connections beside those of clients: strangers, and who looks at health and metrics. */
const OTHERS = 256;

/** Set by proxies: who is really there, the kernel does not know then. */
const PROXIED = ["forwarded", "via", "x-forwarded-for", "x-real-ip"];

/** The hall's HTTP port: WebSocket, health and metrics. */
export class HttpListener {
  readonly #server: http.Server;
  readonly #options: HttpListenerOptions;
  readonly #arrivals: Arrivals;
  /** The same as the server, where it speaks TLS. */
  readonly #secure: tls.Server | undefined;

  private constructor(options: HttpListenerOptions) {
    this.#options = options;
    this.#arrivals = new Arrivals({ via: "websocket", ...options });
    const limits = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS };
    const secure = options.tls && https.createServer({ ...options.tls, ...limits });
    this.#secure = secure;
    this.#server = secure ?? http.createServer(limits);
    this.#limit();
    this.#server.prependListener("connection", (socket: net.Socket) => void this.#arrivals.met(socket));
    this.#server.on("request", (request, response) => {
      this.#answer(request).then(
        (answer) => answer.send(response, request.method === "HEAD"),
        (error: unknown) => {
          options.report(error instanceof Error ? error : new Error(messageOf(error)));
          new HttpAnswer(500, "This request met a defect of the hall; its log says more.").send(
            response,
            false,
          );
        },
      );
    });
    this.#server.on("upgrade", (request, socket, head) => {
      // It may break while its token is looked at.
      socket.on("error", () => socket.destroy());
      this.#upgrade(request, socket, head).catch((error: unknown) => {
        refusalOf(error).sendRaw(socket);
        if (!(error instanceof HttpAnswer || error instanceof RpcError))
          options.report(error instanceof Error ? error : new Error(messageOf(error)));
      });
    });
  }

  /** Rejects with `ListenFailed`. */
  static async open(options: HttpListenerOptions): Promise<HttpListener> {
    const listener = new HttpListener(options);
    await listenOnPort(listener.#server, options);
    return listener;
  }

  /** `host:port`, as it was bound. */
  get address(): string {
    return boundAddress(this.#server);
  }

  /** The roster has become another. `certificates`: for connections that come from now on. */
  takeUp(certificates: tls.SecureContextOptions | undefined): void {
    this.#limit();
    if (certificates) this.#secure?.setSecureContext(certificates);
  }

  get isOpen(): boolean {
    return this.#server.listening;
  }

  /** Answers nobody any more. */
  close(): void {
    this.#options.metrics.close();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #limit(): void {
    this.#server.maxConnections = this.#options.clients() + OTHERS;
  }

  async #answer(request: http.IncomingMessage): Promise<HttpAnswer> {
    const { health, metrics } = this.#options;
    const path = pathOf(request);
    if (request.method !== "GET" && request.method !== "HEAD")
      return new HttpAnswer(405, "Only GET and HEAD are known here.");
    switch (path) {
      case "/healthz":
        return new HttpAnswer(200, "alive");
      case "/readyz": {
        const { readiness } = health;
        return HttpAnswer.json(readiness.ready ? 200 : 503, readiness);
      }
      case "/metrics":
        try {
          await this.#visitor(request);
        } catch (error) {
          return refusalOf(error);
        }
        return new HttpAnswer(200, await metrics.text(), metrics.contentType);
      case "/acp":
        return new HttpAnswer(426, "This speaks ACP over WebSocket: connect with a WebSocket client.");
      default:
        return new HttpAnswer(404, "There is nothing here; /acp, /healthz, /readyz and /metrics are all.");
    }
  }

  /** Who may look at the numbers. Throws an HttpAnswer, or `not_authorized`. */
  async #visitor(request: http.IncomingMessage): Promise<void> {
    const origin = await this.#originOf(request);
    const grant = origin.grant ?? (origin.trusted ? localGrant(false) : undefined);
    if (!grant) {
      this.#options.refused(origin, "no_token");
      throw new HttpAnswer(401, "This wants a token, as Authorization: Bearer; hall token add makes one.");
    }
    if (!grant.may("observe")) throw new HttpAnswer(403, "This needs a token with the scope observe.");
  }

  async #upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { admission, door, refused, stopping } = this.#options;
    if (pathOf(request) !== "/acp") throw new HttpAnswer(404, "WebSocket is spoken at /acp.");
    if (stopping()) throw new HttpAnswer(503, "This hall is stopping.");
    const origin = await this.#originOf(request);
    if (!origin.trusted && !origin.grant && !admission.isShared) {
      refused(origin, "not_this_user");
      throw new HttpAnswer(
        401,
        "This hall has no tokens, and you are not proven to be its own user; hall token add makes one.",
      );
    }
    // It may have gone while its token was looked at.
    if (!socket.destroyed) door.open(request, socket, head, origin);
  }

  /** Where a request comes from, with what its token allows. Throws an HttpAnswer, or `not_authorized`. */
  async #originOf(request: http.IncomingMessage): Promise<Origin> {
    const { admission, refused } = this.#options;
    const arrived = this.#arrivals.of(request.socket);
    if (!arrived) throw new HttpAnswer(400, "The connection is over.");
    const { host, origin: page, authorization } = request.headers;
    const fault = new HostCheck(this.#options.pages()).fault({
      host,
      origin: page,
      localAddress: request.socket.localAddress,
    });
    if (fault !== undefined) {
      refused(arrived, fault);
      throw new HttpAnswer(403, FAULTS[fault]);
    }
    const isProxied = PROXIED.some((header) => request.headers[header] !== undefined);
    const origin = isProxied ? { ...arrived, local: false, trusted: false } : arrived;
    if (authorization === undefined) return origin;
    const [, secret] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    const grant: Grant = await admission.byToken(origin, secret);
    return { ...origin, grant };
  }
}

const FAULTS = {
  host: "This is not a name of this hall; http.hosts of its roster has those that are.",
  origin: "Pages of this origin may not connect; http.origins of the hall's roster has those that may.",
};

function pathOf({ url = "" }: http.IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

function refusalOf(error: unknown): HttpAnswer {
  if (error instanceof HttpAnswer) return error;
  if (error instanceof RpcError) return new HttpAnswer(401, error.message);
  return new HttpAnswer(500, "This request met a defect of the hall; its log says more.");
}
