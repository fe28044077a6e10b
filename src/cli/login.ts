import { Command } from "commander";
import { AgentMethod } from "../acp/methods.ts";
import { isFar } from "../agents/launcher.ts";
import { MARK_VARIABLE } from "../agents/mark.ts";
import { findKnownAgent } from "../agents/registry.ts";
import { showAddress } from "../bridge/hall-address.ts";
import { systemClock } from "../ground/clock.ts";
import { realDisk } from "../ground/disk.ts";
import { messageOf } from "../ground/thrown.ts";
import { adapterOf, adapterSettings } from "../hall/adapter-settings.ts";
import { runningHalls } from "../hall/addresses.ts";
import type { Roster } from "../hall/roster.ts";
import { loadRoster, rosterFile } from "./chosen-roster.ts";
import { keepAlive } from "./keep-alive.ts";
import { chooseMethod } from "./login/choice.ts";
import { type OwnSlot, runLogin } from "./login/foreground.ts";
import { type LoginMethod, loginMethods } from "./login/method.ts";
import { withLoneAgent } from "./lone-agent.ts";
import { printable } from "./printable.ts";
import { NotAllowed, UsageError } from "./usage.ts";

export const command = (): Command =>
  new Command("login")
    .summary("log a slot's agent in, by its own way")
    .description(
      "Logs the agent of a slot in, by the agent's own way, where the agent lives: in the slot's environment, in this " +
        "terminal. The agent is asked which ways it has; of several one is chosen. No hall needs to run. Exits with 0 " +
        "when the agent's login did.",
    )
    .argument("<slot>", "the slot")
    .option("--method <id>", "the way, when the agent has several")
    .option(
      "--config <file>",
      "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
    )
    .addHelpText("after", "\nExamples:\n  hall login claude\n  hall login codex --method chat-gpt")
    .action(login);

interface LoginOptions {
  method?: string;
  config?: string;
}

const say = (line: string): void => void process.stderr.write(printable(`${line}\n`));

/** `hall login`. */
async function login(name: string, { method, config }: LoginOptions): Promise<void> {
  if (process.env[MARK_VARIABLE] !== undefined)
    throw new NotAllowed(
      "An agent has no terminal to log anyone in; call hall login outside of the hall's agents.",
    );
  const roster = loadRoster(rosterHere(config));
  const slot = ownSlot(name, roster);
  const letGo = keepAlive();
  try {
    const chosen = await chooseMethod(await methodsOf(slot, roster), method, slot);
    await performed(chosen, slot, roster);
  } finally {
    letGo();
  }
  process.stdout.write(
    printable(
      `Logged in. The next agent that starts in the slot finds it:  hall prompt --slot ${name} "hello"\n`,
    ),
  );
}

/** As for `hall check`; else that of the one hall that runs. */
function rosterHere(config: string | undefined): string {
  try {
    return rosterFile(config);
  } catch (error) {
    const [only, ...others] = runningHalls(realDisk);
    if (only === undefined || others.length > 0) throw error;
    return only.roster;
  }
}

function ownSlot(name: string, { slots, file }: Roster): OwnSlot {
  const slot = slots.find((one) => one.name === name);
  if (!slot) {
    const names = slots.map((one) => one.name).join(", ");
    throw new UsageError(`There is no slot ${JSON.stringify(name)} in ${file}; there are: ${names}.`);
  }
  const { run, unavailable, launch } = slot;
  if (run.kind === "hall")
    throw new UsageError(
      `The agent of slot ${name} is behind the hall at ${showAddress(run.address)}; log it in there: hall login ${run.slot ?? "SLOT"}`,
    );
  if (launch && isFar(launch))
    throw new UsageError(
      `The agent of slot ${name} runs where ${launch.program} leads, and its login is kept there; log it in there, in a terminal, with its own program.`,
    );
  if (unavailable !== undefined) throw new UsageError(`Slot ${name} cannot be used. ${unavailable}`);
  return { ...slot, run };
}

/** An adapter says it of the program behind it; any other agent is started and asked. */
async function methodsOf(slot: OwnSlot, roster: Roster): Promise<LoginMethod[]> {
  const { run } = slot;
  if (run.kind === "adapter") {
    const settings = adapterSettings(slot, run, roster.folder, {});
    return loginMethods(adapterOf(run).authMethods?.(settings, { auth: { terminal: true } }));
  }
  say(`Asking the agent of slot ${slot.name} how it is logged in …`);
  try {
    return await withLoneAgent(slot, { roster, clock: systemClock }, async ({ initialized }) =>
      loginMethods(initialized.authMethods),
    );
  } catch (error) {
    const known = run.kind === "agent" ? loginMethods(findKnownAgent(run.id)?.authMethods) : [];
    if (known.length === 0) throw error;
    // One that does not start before it is logged in is why somebody is here.
    say(`${messageOf(error)} Going on with what is known of it.`);
    return known;
  }
}

/** Does it. Throws when it did not work. */
async function performed({ id, name, how }: LoginMethod, slot: OwnSlot, roster: Roster): Promise<void> {
  if (how.kind === "key") return;
  if (how.kind === "agent") {
    say(`${name}: follow what the agent says, or what opens in your browser. Ctrl-C gives it up.`);
    await withLoneAgent(slot, { roster, clock: systemClock, onStderr: say }, (agent) =>
      agent.ask(AgentMethod.authenticate, { methodId: id }),
    );
    return;
  }
  say(`${name}: the terminal is the agent's until its login ends.`);
  const { code, signal } = await runLogin(how, { slot, roster, env: process.env });
  if (code === 0) return;
  const end = signal === null ? `with exit code ${code}` : `by ${signal}`;
  throw new Error(`The login of slot ${slot.name} ended ${end}; nothing is known to have changed.`);
}
