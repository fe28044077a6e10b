import { type Fields, isFields } from "../../acp/checks.ts";
import type { AdapterSettings } from "./adapter.ts";

/**
 * A login that the program does in a terminal, for a client that can open one where the program lives. Others are told
 * none: they could do nothing with it.
 */
export function terminalLogin(
  client: Fields,
  { command }: AdapterSettings,
  id: string,
  name: string,
  args: string[],
): Fields[] {
  const auth = isFields(client.auth) ? client.auth : {};
  const meta = isFields(client._meta) ? client._meta : {};
  if (auth.terminal !== true && meta["terminal-auth"] !== true) return [];
  const description = command === undefined ? name : `${name} (${command.join(" ")})`;
  return [{ id, name, description, type: "terminal", args }];
}
