import { resolve } from "node:path";
import type { Adapter, AdapterSettings } from "../agents/adapters/adapter.ts";
import { adapters } from "../agents/adapters/registry.ts";
import { isFar } from "../agents/launcher.ts";
import type { SlotConfig, SlotRun } from "./roster.ts";

export type AdapterRun = Extract<SlotRun, { kind: "adapter" }>;

export const adapterOf = ({ adapter }: AdapterRun): Adapter<unknown> => adapters[adapter];

/**
 * What a slot says of the program behind its adapter.
 *
 * @param folder the roster's: a program with a path in it is meant from there, if it runs on this machine
 * @param environment of its children
 */
export const adapterSettings = (
  { args, launch }: SlotConfig,
  { command, oneShot }: AdapterRun,
  folder: string,
  environment: Readonly<Record<string, string>>,
): AdapterSettings => ({
  command: command && (isFar(launch) ? command : absoluteIn(command, folder)),
  args,
  environment,
  ...oneShot,
});

function absoluteIn([program = "", ...args]: readonly string[], folder: string): string[] {
  return [program.includes("/") ? resolve(folder, program) : program, ...args];
}
