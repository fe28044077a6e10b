import { RpcError } from "../../acp/errors.ts";

/** What the client answered a call of the agent's with. Its code is about that call, and never one of the prompt's. */
export class ClientError extends RpcError {}
