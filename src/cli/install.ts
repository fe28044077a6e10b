import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Command } from "commander";
import { codeOf } from "../ground/thrown.ts";
import { loadRoster, rosterFile } from "./chosen-roster.ts";
import { hallProgram } from "./hall-program.ts";
import { systemdUnit } from "./systemd-unit.ts";
import { UsageError } from "./usage.ts";

export const command = (): Command =>
  new Command("install")
    .summary("a systemd unit, so that the hall runs from login on")
    .description(
      "Prints a systemd user unit that runs this hall with its roster, or with --write puts it where systemd looks " +
        "for it. A unit that is there and says something else stays as it is. Nothing is started.",
    )
    .option(
      "--config <file>",
      "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
    )
    .option("--write", "write it, to ~/.config/systemd/user/hall.service")
    .addHelpText(
      "after",
      "\nExample:\n  hall install --write --config ~/.config/hall/hall.yml\n" +
        "  systemctl --user daemon-reload && systemctl --user enable --now hall",
    )
    .action(install);

function install({ config, write = false }: { config?: string; write?: boolean }): void {
  const roster = path.resolve(rosterFile(config));
  // A unit whose hall cannot start is none: better known now.
  loadRoster(roster);
  const unit = systemdUnit({
    node: process.execPath,
    program: hallProgram(),
    roster,
    path: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
  });
  if (hallProgram().split(path.sep).includes("_npx"))
    process.stderr.write(
      "This hall is in npx's cache, which is emptied now and then; install it first: npm install -g acp-hall\n",
    );
  if (!write) {
    process.stdout.write(unit);
    return;
  }
  const file = unitFile(process.env);
  const isNew = put(file, unit);
  process.stdout.write(
    [
      isNew ? `Wrote ${file}.` : `${file} says just that already.`,
      "Next:  systemctl --user daemon-reload && systemctl --user enable --now hall",
      "       loginctl enable-linger       (to have it run when nobody is logged in)",
      "       journalctl --user -u hall -f (what it says)",
      "",
    ].join("\n"),
  );
}

const unitFile = ({ XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string =>
  path.join(
    XDG_CONFIG_HOME !== undefined && path.isAbsolute(XDG_CONFIG_HOME)
      ? XDG_CONFIG_HOME
      : path.join(os.homedir(), ".config"),
    "systemd/user/hall.service",
  );

/** False: the file is there, with this text. Throws a UsageError when it has another. */
function put(file: string, text: string): boolean {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  try {
    fs.writeFileSync(file, text, { flag: "wx", mode: 0o644 });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    if (fs.readFileSync(file, "utf8") === text) return false;
    throw new UsageError(
      `${file} is there already, with other lines, and stays as it is; remove it, or write yours over it:  hall install > ${file}`,
    );
  }
}
