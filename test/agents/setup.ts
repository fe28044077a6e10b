import { ACPX } from "./clients/acpx.ts";
import { OLD_SDK } from "./clients/old-sdk.ts";
import { install } from "./install.ts";
import { CLAUDE_CLI } from "./real/claude-cli.ts";
import { sdkExample } from "./real/sdk-example.ts";
import { isHookSelected, selectedAgents } from "./selection.ts";

/** Before the first test: what the tests run is installed, one after another. */
export default async function setup(): Promise<void> {
  const agents = new Set([...selectedAgents(), sdkExample]);
  for (const pinned of [...agents].map((agent) => agent.package)) await install(pinned);
  for (const client of [OLD_SDK, ACPX]) await install(client);
  if (isHookSelected()) await install(CLAUDE_CLI);
}
