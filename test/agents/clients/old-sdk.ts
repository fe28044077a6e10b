import { pathToFileURL } from "node:url";
import { fileOf, type Pinned } from "../install.ts";
import { type Errand, type Outcome, webStreams } from "./errand.ts";

/** The last ACP SDK before its first stable one: many clients still have it, or one like it. */
export const OLD_SDK: Pinned = { name: "@agentclientprotocol/sdk", version: "0.14.1" };

/** The part of that SDK that an errand needs. It knows ACP by classes with a method for each call. */
interface OldSdk {
  readonly PROTOCOL_VERSION: number;
  ndJsonStream(output: WritableStream<Uint8Array>, input: ReadableStream<Uint8Array>): unknown;
  readonly ClientSideConnection: new (client: () => OldClient, stream: unknown) => OldConnection;
}

interface OldClient {
  sessionUpdate(params: { update: OldUpdate }): Promise<void>;
  requestPermission(params: { options: { optionId: string; kind: string }[] }): Promise<object>;
}

interface OldUpdate {
  readonly sessionUpdate: string;
  readonly content?: { readonly text?: string };
}

interface OldConnection {
  initialize(params: object): Promise<{ protocolVersion: number }>;
  newSession(params: object): Promise<{ sessionId: string }>;
  prompt(params: object): Promise<{ stopReason: string }>;
}

/** Runs an errand with the client of an ACP SDK of two years ago. */
export async function runWithOldSdk(errand: Errand): Promise<Outcome> {
  const sdk: OldSdk = await import(pathToFileURL(fileOf(OLD_SDK, "dist", "acp.js")).href);
  let text = "";
  let questions = 0;
  const client: OldClient = {
    async sessionUpdate({ update }) {
      if (update.sessionUpdate === "agent_message_chunk") text += update.content?.text ?? "";
    },
    async requestPermission({ options }) {
      questions++;
      const optionId = options.find((option) => option.kind === "allow_once")?.optionId ?? "";
      return { outcome: { outcome: "selected", optionId } };
    },
  };
  const { output, input, close } = webStreams(errand);
  try {
    const hall = new sdk.ClientSideConnection(() => client, sdk.ndJsonStream(output, input));
    await hall.initialize({ protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities: {} });
    const { sessionId } = await hall.newSession({ cwd: errand.cwd, mcpServers: [] });
    const { stopReason } = await hall.prompt({ sessionId, prompt: [{ type: "text", text: errand.prompt }] });
    return { stopReason, text, questions };
  } finally {
    close();
  }
}
