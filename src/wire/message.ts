import { isUtf8 } from "node:buffer";

/** A JSON-RPC id. It keeps its JSON type: `1` and `"1"` are two ids. */
export type Id = string | number | null;

export interface ErrorBody {
  code: number;
  message: string;
  data?: unknown;
}

export interface RequestMessage {
  kind: "request";
  id: Id;
  method: string;
  params: unknown;
}

export interface NotificationMessage {
  kind: "notification";
  method: string;
  params: unknown;
}

export interface ResponseMessage {
  kind: "response";
  id: Id;
  result?: unknown;
  error?: ErrorBody;
}

/** Why a line is no message. `code` is JSON-RPC's. It is answered under the id null: no id of it can be trusted. */
export interface Fault {
  kind: "fault";
  code: -32700 | -32600;
  id: null;
  message: string;
  /** A malformed answer of the other side: it must not be answered in turn. */
  isResponse: boolean;
  /** The request that a malformed answer was meant for: it will get no other. */
  answers?: Id;
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage | Fault;

const fault = (code: Fault["code"], message: string, isResponse = false): Fault => ({
  kind: "fault",
  code,
  id: null,
  message,
  isResponse,
});

const noAnswer = (message: string, answers: Id): Fault => ({ ...fault(-32600, message, true), answers });

const REPLACEMENT = "\ufffd";

/** Whether `line` is UTF-8; `text` is what became of it when it was taken for that. */
export const isValidUtf8 = (line: Buffer, text: string): boolean =>
  !text.includes(REPLACEMENT) || isUtf8(line);

/** Reads one line as a JSON-RPC 2.0 message: parsed once, its envelope checked, its payload left alone. */
export function readMessage(line: Buffer, text = line.toString()): Message {
  if (!isValidUtf8(line, text)) return fault(-32700, "The line is not valid UTF-8.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault(-32700, "The line is not valid JSON.");
  }
  if (Array.isArray(value)) return fault(-32600, "Batches are not part of ACP: send one message a line.");
  if (typeof value !== "object" || value === null) return fault(-32600, "A message is a JSON object.");
  return readEnvelope(value as Envelope);
}

/** What a JSON object may hold in the places that we look at. */
interface Envelope {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

function readEnvelope(value: Envelope): Message {
  const { id, method } = value;
  const isResponse = method === undefined && ("result" in value || "error" in value);
  if (value.jsonrpc !== "2.0") return fault(-32600, 'A message says "jsonrpc": "2.0".', isResponse);
  if (id !== undefined && !isId(id)) {
    const why = typeof id === "number" ? ` An integer id stays within ±${Number.MAX_SAFE_INTEGER}.` : "";
    return fault(-32600, `An id is a string, an integer or null.${why}`, isResponse);
  }
  if (typeof method === "string") {
    if (id !== undefined) return { kind: "request", id, method, params: value.params };
    return { kind: "notification", method, params: value.params };
  }
  if (method !== undefined) return fault(-32600, "A method is a string.");
  // With an id it can only be meant as an answer.
  if (id !== undefined) return readResponse(value, id);
  if (isResponse) return fault(-32600, "A response carries the id of its request.", true);
  return fault(-32600, "A message has a method, a result or an error.");
}

function readResponse(value: Envelope, id: Id): Message {
  if ("result" in value === "error" in value) {
    return noAnswer("A response has either a result or an error.", id);
  }
  if ("result" in value) return { kind: "response", id, result: value.result };
  if (isErrorBody(value.error)) return { kind: "response", id, error: value.error };
  return noAnswer("An error has an integer code and a message.", id);
}

export function isId(id: unknown): id is Id {
  if (typeof id === "number") return Number.isSafeInteger(id);
  return typeof id === "string" || id === null;
}

function isErrorBody(error: unknown): error is ErrorBody {
  if (typeof error !== "object" || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return Number.isInteger(code) && typeof message === "string";
}

/** One message as a line, newline included. */
export const encode = (message: object): Buffer => Buffer.from(`${JSON.stringify(message)}\n`);
