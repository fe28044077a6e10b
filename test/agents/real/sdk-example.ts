import { fileOf } from "../install.ts";
import { environmentOf } from "./home.ts";
import type { RealAgent } from "./real-agent.ts";

const SDK = { name: "@agentclientprotocol/sdk", version: "1.9.0" };

const ANYTHING = "Hello.";

/**
 * The example of the ACP SDK: no model, but a turn of some five seconds with one question in it, whatever the
 * prompt. It cannot load a session, and heeds a cancel once a second.
 */
export const sdkExample: RealAgent = {
  name: "sdk-example",
  package: SDK,
  prepare: ({ home }) => ({
    command: [process.execPath, fileOf(SDK, "dist", "examples", "agent.js")],
    env: environmentOf(SDK, home),
  }),
  refusedTurn: "end_turn",
  script: {
    talk: { prompt: ANYTHING, says: "Now I understand the project structure." },
    chatter: ANYTHING,
    act: () => ({ prompt: ANYTHING, leaves: undefined }),
  },
};
