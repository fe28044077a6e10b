import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  client,
  methods,
  ndJsonStream,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { demoProgram } from "../../src/agents/demo-program.ts";
import { StreamTransport } from "../../src/wire/streams.ts";
import { AcpClient } from "../doubles/acp-client.ts";

type DemoProcess = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

/** The demo agent's built program, as a hall or an editor starts it. It ends with the test. */
export function startDemo(...args: string[]): DemoProcess {
  const child = spawn(process.execPath, [demoProgram(), ...args], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return child;
}

/** The demo agent with a client that holds each of its lines against ACP's schema. */
export function demoWithLines(pace = 0): { client: AcpClient; child: DemoProcess; exited: Promise<unknown> } {
  const child = startDemo("--pace", String(pace));
  const exited = once(child, "exit").then(([code, signal]) => code ?? signal);
  const lines = new AcpClient(new StreamTransport(child.stdout, child.stdin), import.meta.dirname);
  onTestFinished(() => lines.check.expectNoViolations());
  return { client: lines, child, exited };
}

/** How a person answers a permission question. */
export type Answer = (question: RequestPermissionRequest) => RequestPermissionOutcome;

/** The demo agent with the client of the ACP SDK, which shares no line with the agent. */
export async function demoWithSdk(answer: Answer = choose("allow_once"), pace = 0) {
  const child = startDemo("--pace", String(pace));
  const questions: RequestPermissionRequest[] = [];
  const { agent } = client({ name: "test" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      return { outcome: answer(params) };
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  const introduction = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: {},
  });
  return {
    agent,
    questions,
    introduction,
    open: async (cwd: string) => {
      const session = await agent.buildSession(cwd).start();
      return {
        session,
        /** A prompt, and all that came up to its answer. */
        play: async (text: string): Promise<Played> => {
          const response = session.prompt(text);
          const updates: SessionUpdate[] = [];
          for (;;) {
            const message = await session.nextUpdate();
            if (message.kind === "stop") break;
            updates.push(message.update);
          }
          return { stopReason: (await response).stopReason, updates };
        },
      };
    },
  };
}

export interface Played {
  stopReason: string;
  updates: SessionUpdate[];
}

/** Chooses the option of a kind. */
export const choose =
  (kind: "allow_once" | "reject_once"): Answer =>
  ({ options }) => {
    const option = options.find((offered) => offered.kind === kind);
    if (!option) throw new Error(`No option is of kind ${kind}.`);
    return { outcome: "selected", optionId: option.optionId };
  };

/** All chunks of a kind, as one text. */
export const textOf = (
  updates: readonly SessionUpdate[],
  kind: "agent_message_chunk" | "agent_thought_chunk" = "agent_message_chunk",
): string =>
  updates
    .map((update) =>
      update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : "",
    )
    .join("");

/** The statuses of each plan that was sent, entry by entry. */
export const plansOf = (updates: readonly SessionUpdate[]): string[][] =>
  updates.flatMap((update) =>
    update.sessionUpdate === "plan" ? [update.entries.map(({ status }) => status)] : [],
  );

/** The statuses that tool calls went through. */
export const toolStatuses = (updates: readonly SessionUpdate[]): unknown[] =>
  updates.flatMap((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update"
      ? [update.status]
      : [],
  );
