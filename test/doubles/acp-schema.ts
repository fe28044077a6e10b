import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type {
  AuthenticateResponse,
  CloseSessionResponse,
  DeleteSessionResponse,
  InitializeResponse,
  ListSessionsResponse,
  LoadSessionResponse,
  LogoutResponse,
  NewSessionResponse,
  PromptResponse,
  RequestPermissionRequest,
  ResumeSessionResponse,
  SessionNotification,
  SetSessionConfigOptionResponse,
  SetSessionModeResponse,
} from "@agentclientprotocol/sdk";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** What an agent answers, by method. */
export interface ResultOf {
  initialize: InitializeResponse;
  authenticate: AuthenticateResponse;
  logout: LogoutResponse;
  "session/new": NewSessionResponse;
  "session/load": LoadSessionResponse;
  "session/resume": ResumeSessionResponse;
  "session/list": ListSessionsResponse;
  "session/close": CloseSessionResponse;
  "session/delete": DeleteSessionResponse;
  "session/set_mode": SetSessionModeResponse;
  "session/set_config_option": SetSessionConfigOptionResponse;
  "session/prompt": PromptResponse;
}

/** What an agent sends a client of its own accord, by method; the part that tests look into. */
export interface ParamsOf {
  "session/update": SessionNotification;
  "session/request_permission": RequestPermissionRequest;
}

/** Who answers a method: an agent, a client, or either (`$/cancel_request`). */
export type Side = "agent" | "client" | "protocol";

type Kind = "Request" | "Response" | "Notification";

interface Definition {
  "x-method"?: string;
  "x-side"?: Side;
}

/** Reads as "valid", or says what is wrong, in ajv's words. */
export type Check = (value: unknown) => string | undefined;

const require = createRequire(import.meta.url);

/** JSON Schema's number formats, as the ACP schema uses them; a format that is not listed is a mistake. */
const FORMATS: Record<string, { type: "number"; validate: (value: number) => boolean } | true> = {
  uint16: whole(0, 2 ** 16 - 1),
  uint32: whole(0, 2 ** 32 - 1),
  uint64: whole(0, Number.MAX_SAFE_INTEGER),
  int32: whole(-(2 ** 31), 2 ** 31 - 1),
  int64: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  double: true,
  uri: true,
};

function whole(least: number, most: number) {
  return {
    type: "number" as const,
    validate: (value: number) => Number.isInteger(value) && value >= least && value <= most,
  };
}

/**
 * ACP's JSON Schema (v1, stable), by method. Each definition that belongs to a method says so itself
 * (`x-method`, `x-side`), and its name ends with what it is: Request, Response, Notification.
 */
export class AcpSchema {
  /** The first three settings halve the time to compile; with the fourth an error names the one branch meant. */
  readonly #ajv = new Ajv2020({
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
    discriminator: true,
    strict: false,
    formats: FORMATS,
  });
  readonly #names = new Map<string, string>();
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor() {
    const file = require.resolve("@agentclientprotocol/sdk/schema/v1/schema.json");
    const schema: { $defs: Record<string, Definition> } = JSON.parse(readFileSync(file, "utf8"));
    this.#ajv.addSchema(schema, "acp");
    for (const [name, { "x-method": method, "x-side": side }] of Object.entries(schema.$defs)) {
      if (method === undefined || side === undefined) continue;
      const kind = /(Request|Response|Notification)$/.exec(name)?.[1];
      if (kind) this.#names.set(`${kind} ${side} ${method}`, name);
    }
  }

  request(side: Side, method: string): Check | undefined {
    return this.#check("Request", side, method);
  }

  notification(side: Side, method: string): Check | undefined {
    return this.#check("Notification", side, method);
  }

  /** Of what `side` answers. */
  response(side: Side, method: string): Check | undefined {
    return this.#check("Response", side, method);
  }

  error: Check = (value) => this.#complaint("Error", value);

  isResult<M extends keyof ResultOf>(method: M, value: unknown): value is ResultOf[M] {
    return this.#isValid(`Response agent ${method}`, value);
  }

  isParams<M extends keyof ParamsOf>(method: M, value: unknown): value is ParamsOf[M] {
    const kind = method === "session/update" ? "Notification" : "Request";
    return this.#isValid(`${kind} client ${method}`, value);
  }

  #check(kind: Kind, side: Side, method: string): Check | undefined {
    const name = this.#names.get(`${kind} ${side} ${method}`);
    return name === undefined ? undefined : (value) => this.#complaint(name, value);
  }

  #isValid(key: string, value: unknown): boolean {
    const name = this.#names.get(key);
    return name !== undefined && this.#complaint(name, value) === undefined;
  }

  #complaint(name: string, value: unknown): string | undefined {
    const validate = this.#validator(name);
    if (validate(value)) return undefined;
    return this.#ajv.errorsText(validate.errors, { dataVar: name });
  }

  /** Compiled when it is first needed: a test file rarely sees more than a few methods. */
  #validator(name: string): ValidateFunction {
    let validate = this.#compiled.get(name);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `acp#/$defs/${name}` });
      this.#compiled.set(name, validate);
    }
    return validate;
  }
}

let shared: AcpSchema | undefined;

/** The one of this test file: compiling takes longer than all its checks together. */
export function acpSchema(): AcpSchema {
  shared ??= new AcpSchema();
  return shared;
}
