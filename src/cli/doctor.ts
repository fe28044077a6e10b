import { Command } from "commander";
import { systemClock } from "../ground/clock.ts";
import { version } from "../ground/version.ts";
import { examine } from "./doctor/examination.ts";
import type { Finding, Verdict } from "./doctor/finding.ts";
import type { HallChoice } from "./find-hall.ts";
import { CONNECT, JSON_OUTPUT, TOKEN_FILE } from "./flags.ts";
import { keepAlive } from "./keep-alive.ts";
import { type Paint, paint } from "./paint.ts";
import { printable } from "./printable.ts";

export const command = (): Command =>
  new Command("doctor")
    .summary("look for what is wrong, and say how it is mended")
    .description(
      "Looks for what has made halls fail: Node and PATH, the roster and each slot's agent, its version and login, the " +
        "state folder, disk and limits, ports, TLS and tokens, the halls that run and their versions, and what killed " +
        "ones left behind. Each thing that is wrong comes with its fix. Changes nothing, and starts no agent unless " +
        "--start asks for it. Exits with 1 when something does not work; a warning (!) is no fault.",
    )
    .option(
      "--config <file>",
      "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
    )
    .addOption(CONNECT)
    .addOption(TOKEN_FILE)
    .option("--start", "also start each slot's agent, as far as its answer to initialize")
    .addOption(JSON_OUTPUT)
    .addHelpText("after", "\nExamples:\n  hall doctor\n  hall doctor --start --config hall.yml")
    .action(doctor);

async function doctor({
  json,
  start = false,
  ...choice
}: HallChoice & { json?: boolean; start?: boolean }): Promise<void> {
  const letGo = keepAlive();
  const findings = await examine({
    choice,
    clock: systemClock,
    env: process.env,
    here: process.cwd(),
    start,
  });
  letGo();
  const ok = !findings.some(({ verdict }) => verdict === "fault");
  const report = { ok, version: version(), findings: findings.map(asJson) };
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : told(findings, paint(process.stdout)));
  if (!ok) process.exitCode = 1;
}

/** Each key is there, whatever was found. */
const asJson = ({ check, subject = "", verdict, message, fix = "" }: Finding): object => ({
  check,
  subject: subject === "" ? null : subject,
  verdict,
  message,
  fix: fix === "" ? null : fix,
});

const MARKS: Readonly<Record<Verdict, (paint: Paint) => string>> = {
  ok: ({ green }) => green("✓"),
  warning: ({ yellow }) => yellow("!"),
  fault: ({ red }) => red("✗"),
};

/** What is wrong stands where it belongs, its fix under it; how much there is of it, at the end. */
function told(findings: readonly Finding[], colours: Paint): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, subject, verdict, message, fix }) => {
    const name = check === "slot" || check === "start" ? `${subject}: ` : "";
    const line = `${MARKS[verdict](colours)} ${check.padEnd(width)}  ${printable(`${name}${message}`)}`;
    return fix === undefined
      ? [line]
      : [line, `${" ".repeat(width + 4)}${colours.bold("→")} ${printable(fix)}`];
  });
  return [...lines, "", summary(findings), ""].join("\n");
}

function summary(findings: readonly Finding[]): string {
  const count = (verdict: Verdict): number => findings.filter((one) => one.verdict === verdict).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  const noted = warnings === 0 ? "" : `${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
  if (faults === 0) return noted === "" ? "All is well." : `Nothing is wrong; ${noted}.`;
  const wrong = `${faults} ${faults === 1 ? "fault" : "faults"}`;
  return noted === "" ? `${wrong}.` : `${wrong}, ${noted}.`;
}
