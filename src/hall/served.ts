import type { Fields } from "../acp/checks.ts";
import { methodNotFound } from "../acp/errors.ts";
import type { IncomingRequest } from "../wire/peer.ts";

/** What the hall itself serves of a session's files and terminals. */
export class Served {
  file(request: IncomingRequest, _params: Fields): void {
    request.fail(methodNotFound(request.method).body);
  }

  createTerminal(request: IncomingRequest, _params: Fields): void {
    request.fail(methodNotFound(request.method).body);
  }

  terminal(request: IncomingRequest, _params: Fields): void {
    request.fail(methodNotFound(request.method).body);
  }

  shows(_terminalId: string, _toolCallId: string): void {}
  withdrawn(_request: IncomingRequest): boolean {
    return false;
  }
  stopWaiting(): void {}
  endAll(): void {}
}
