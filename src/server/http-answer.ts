import http from "node:http";
import type { Duplex } from "node:stream";

/** An answer to an HTTP request: a sentence, a document, or why not. It can be thrown. */
export class HttpAnswer extends Error {
  readonly status: number;
  readonly body: string;
  readonly contentType: string;

  constructor(status: number, body: string, contentType = "text/plain; charset=utf-8") {
    super(body);
    this.name = "HttpAnswer";
    this.status = status;
    this.body = body.endsWith("\n") ? body : `${body}\n`;
    this.contentType = contentType;
  }

  static json(status: number, value: object): HttpAnswer {
    return new HttpAnswer(status, JSON.stringify(value), "application/json");
  }

  send(response: http.ServerResponse, isHead: boolean): void {
    response.writeHead(this.status, this.#headers);
    response.end(isHead ? undefined : this.body);
  }

  /** To a connection that wanted to become another thing than HTTP. It is closed. */
  sendRaw(socket: Duplex): void {
    const headers = Object.entries({ ...this.#headers, Connection: "close" });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${this.status} ${http.STATUS_CODES[this.status]}\r\n${lines.join("")}\r\n${this.body}`,
    );
    socket.once("finish", () => socket.destroy());
  }

  get #headers(): Record<string, string | number> {
    return {
      "Content-Type": this.contentType,
      "Content-Length": Buffer.byteLength(this.body),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...(this.status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
      ...(this.status === 405 ? { Allow: "GET, HEAD" } : {}),
    };
  }
}
