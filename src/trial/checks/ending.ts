import type { EntryOf, SceneName } from "../entry.ts";
import { type Check, deviates, type Judgement, noted, notTried, ok } from "../judgement.ts";
import type { Recording } from "../recording.ts";
import { count, few, quoted, span } from "../wording.ts";

type Exited = EntryOf<"exited">;

const inWords = ({ exit }: Exited): string =>
  exit.signal === null ? `exit code ${exit.code}` : `by ${exit.signal}`;

/** How it ended when it was told to, in one scene. */
function judgeEnd(recording: Recording, scene: SceneName, silent: (ms: number) => Judgement): Judgement {
  const told = [...recording.of("closed stdin", scene), ...recording.of("signalled", scene)][0];
  if (!told) return notTried(recording.skipped(scene) ?? "it did not come to that");
  const vain = recording.of("waited in vain", scene).find((entry) => recording.isAfter(entry, told));
  if (vain) return silent(vain.ms);
  const exited = recording.of("exited", scene).find((entry) => entry.process === told.process);
  if (!exited) return notTried("its end was not seen");
  const found = `ended after ${span(exited.at - told.at)}, ${inWords(exited)}`;
  const isClean = exited.exit.code === 0 || exited.exit.signal !== null || (exited.exit.code ?? 0) > 128;
  if (isClean) return ok(found);
  return noted(
    found,
    "The hall asked for that end, so it makes nothing of the code.",
    "Exit with 0 when you were asked to go.",
  );
}

const EOF_ADVICE = "End when stdin ends, in a turn too: nobody will read what you say.";

export const eof: Check = {
  id: "eof",
  title: "ends when its stdin does",
  expected: "it is gone within 3 s, with exit code 0",
  judge: (recording) =>
    judgeEnd(recording, "eof", (ms) =>
      deviates(
        `was still there after ${span(ms)}`,
        "The hall waits 3 s, then sends SIGTERM, then SIGKILL; an editor may leave it running.",
        EOF_ADVICE,
      ),
    ),
};

export const eofInTurn: Check = {
  id: "eof-turn",
  title: "ends when its stdin does, in a turn",
  expected: "it is gone within 3 s",
  judge(recording) {
    const skipped = recording.of("skipped", "eof-turn")[0]?.why;
    if (skipped !== undefined) return notTried(skipped);
    return judgeEnd(recording, "eof-turn", (ms) =>
      noted(
        `was still there after ${span(ms)}`,
        "The hall waits 3 s, then sends SIGTERM, then SIGKILL.",
        EOF_ADVICE,
      ),
    );
  },
};

const SIGNAL_ADVICE = "Handle the signal by exiting, or do not handle it at all.";

export const sigterm: Check = {
  id: "sigterm",
  title: "ends on SIGTERM",
  expected: "it is gone within 5 s",
  judge: (recording) =>
    judgeEnd(recording, "sigterm", (ms) =>
      noted(`was still there after ${span(ms)}`, "The hall sends SIGKILL 5 s later.", SIGNAL_ADVICE),
    ),
};

export const sigint: Check = {
  id: "sigint",
  title: "ends on SIGINT",
  expected: "it is gone within 5 s",
  judge: (recording) =>
    judgeEnd(recording, "sigint", (ms) =>
      noted(
        `was still there after ${span(ms)}`,
        "It is the second step of the hall's ladder: a cancel that the agent does not heed takes one cancel_grace longer.",
        SIGNAL_ADVICE,
      ),
    ),
};

export const left: Check = {
  id: "left-behind",
  title: "leaves no process behind",
  expected: "what it started is gone soon after it",
  judge(recording) {
    const looks = recording.of("looked").filter(({ scene }) => scene !== "command");
    if (looks.length === 0) return notTried("its processes cannot be told, or no end was seen");
    const commands = [...new Set(looks.flatMap((entry) => entry.left ?? []))];
    if (commands.length === 0) return ok(`none, ${count(looks.length, "time")}`);
    return noted(
      `left ${few(commands.map(quoted), 2)} (${[...new Set(looks.filter((entry) => entry.left?.length).map(({ scene }) => scene))].join(", ")})`,
      "The hall ends them: it knows them by a mark in their environment, and by their parents.",
      "End what you started before you go; detach nothing.",
    );
  },
};

export const stays: Check = {
  id: "stays",
  title: "stays until it is told to go",
  expected: "no end of its own accord",
  judge(recording) {
    if (recording.of("started").length === 0) return notTried("it was not started");
    // What a bad line does is judged by itself.
    const exited = recording.of("exited").find(({ asked, scene }) => !asked && scene !== "manners");
    if (!exited) return ok("it did");
    return deviates(
      `ended by itself (${inWords(exited)}), in the scene ${exited.scene}`,
      "The turn fails with agent_exited; the next prompt starts it again. Again and again: slot_failed.",
      "Catch what goes wrong in one session or turn, and answer with an error.",
    );
  },
};

export const ending: readonly Check[] = [stays, eof, eofInTurn, sigterm, sigint, left];
