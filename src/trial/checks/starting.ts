import { Code } from "../../acp/errors.ts";
import { AgentMethod } from "../../acp/methods.ts";
import { type Check, deviates, noted, notTried, ok } from "../judgement.ts";
import { inWords, span } from "../wording.ts";

/** ms that a hall lets its first client wait for an agent that never ran. */
const SLOW_MS = 10_000;

export const start: Check = {
  id: "start",
  title: "starts, and answers initialize",
  expected: "a result, within the time that the slot gives it (init_timeout)",
  judge(recording) {
    const unstartable = recording.of("unstartable")[0];
    if (unstartable)
      return deviates(
        unstartable.why,
        "Each prompt in the slot fails with spawn_failed.",
        "Correct the slot in the roster; hall check says more.",
      );
    const [asked] = recording.asked(AgentMethod.initialize);
    const reply = asked?.reply;
    const hall = "Each prompt in the slot fails: init_timeout, agent_exited or agent_protocol.";
    if (!asked) return notTried("nothing was asked");
    if (!reply) {
      const exit = recording.of("exited")[0];
      const how = exit ? (exit.exit.signal ?? `exit code ${exit.exit.code}`) : undefined;
      const found = how === undefined || exit?.asked ? "did not answer" : `ended instead (${how})`;
      return deviates(
        found,
        hall,
        "Answer initialize first of all; read stdin line by line, and write each message as one line with a newline at its end.",
      );
    }
    if (reply.error) return deviates(`answered ${inWords(reply.error)}`, hall, "Answer it with a result.");
    if (reply.malformed)
      return deviates("answered with what is no answer", hall, "Give the answer a result or an error.");
    return ok(`answered after ${span(reply.took)}`);
  },
};

export const startTime: Check = {
  id: "start-time",
  title: "answers initialize soon",
  expected: `within ${SLOW_MS / 1000} s`,
  judge(recording) {
    const took = recording.asked(AgentMethod.initialize)[0]?.reply?.took;
    if (took === undefined) return notTried("it did not answer");
    if (took <= SLOW_MS) return ok(`took ${span(took)}`);
    return noted(
      `took ${span(took)}`,
      "The hall waits for init_timeout; whoever opens the first session waits too (warm: 1 keeps one started).",
      "Answer initialize before anything is loaded or fetched.",
    );
  },
};

export const version: Check = {
  id: "version",
  title: "speaks version 1 of the protocol",
  expected: "protocolVersion 1, when 1 is offered",
  judge(recording) {
    const reply = recording.asked(AgentMethod.initialize)[0]?.reply;
    if (!reply || reply.error || reply.malformed) return notTried("it did not answer");
    const { protocolVersion } = reply.result;
    if (protocolVersion === 1) return ok("answered 1");
    return deviates(
      `answered ${JSON.stringify(protocolVersion) ?? "none"}`,
      "The hall speaks version 1 all the same.",
      "Answer the version that was offered if you speak it, as a number.",
    );
  },
};

export const versionOffer: Check = {
  id: "version-offer",
  title: "is offered version 99",
  expected: "a result with the latest version that it speaks",
  judge(recording) {
    const asked = recording.asked(AgentMethod.initialize, "offer")[0];
    if (!asked) return notTried(recording.skipped("offer") ?? "it did not come to that");
    const hall = "The hall offers 1; newer clients that come without a hall fail.";
    const advice =
      "Answer a version that you do not speak with the latest that you do, and let the client decide.";
    if (!asked.reply) return deviates("did not answer", hall, advice);
    if (asked.reply.error) return deviates(`answered ${inWords(asked.reply.error)}`, hall, advice);
    const { protocolVersion } = asked.reply.result;
    if (protocolVersion === 99) return deviates("answered 99", hall, advice);
    return ok(`answered ${JSON.stringify(protocolVersion) ?? "none"}`);
  },
};

export const sessionNew: Check = {
  id: "session-new",
  title: "opens a session",
  expected: "a result with a sessionId that is a text",
  judge(recording) {
    const [asked] = recording.asked(AgentMethod.newSession, "start");
    if (!asked) return notTried("it did not answer initialize");
    const { reply } = asked;
    const hall =
      "The session is not opened: the client gets an error (init_timeout, agent_protocol, or the agent's own).";
    if (!reply)
      return deviates("did not answer", hall, "Answer session/new under the id that it came with, in time.");
    if (reply.error?.code === Code.authRequired)
      return notTried(`it wants a login first: ${inWords(reply.error)}`);
    if (reply.error) return deviates(`answered ${inWords(reply.error)}`, hall, "Answer it with a result.");
    const { sessionId } = reply.result;
    if (typeof sessionId !== "string" || sessionId === "")
      return deviates(
        `gave ${JSON.stringify(sessionId) ?? "no sessionId"}`,
        hall,
        "Put a sessionId of your own into the result: a text that names no other session.",
      );
    return ok(`opened after ${span(reply.took)}`);
  },
};

export const starting: readonly Check[] = [start, startTime, version, versionOffer, sessionNew];
