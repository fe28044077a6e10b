import { type Fields, isFields } from "../../acp/checks.ts";
import type { Clock } from "../../ground/clock.ts";
import { messageOf } from "../../ground/thrown.ts";
import { RequestFailed } from "../../wire/peer.ts";
import { Connection, FOR_CONTROL } from "../connection.ts";
import { exitCode } from "../exit-code.ts";
import { type HallAddress, showAddress } from "../hall-address.ts";

/** What came of knocking at a hall's door. */
export type HallAnswer =
  | { kind: "answers"; version: string }
  /** Somebody is there, and lets us not in. */
  | { kind: "refuses"; message: string }
  | { kind: "silent"; message: string };

/** A hall answers in milliseconds, over a slow line in a second. */
const WITHIN_MS = 5_000;

export async function knock(address: HallAddress, ours: string, clock: Clock): Promise<HallAnswer> {
  const asked = Connection.during({ address, clock, version: ours, meta: FOR_CONTROL }, async (hall) =>
    versionIn(hall.introduction),
  ).then(
    (version): HallAnswer => ({ kind: "answers", version }),
    (error: unknown): HallAnswer => refusalOf(error, address),
  );
  let stop = (): void => {};
  const late = new Promise<HallAnswer>((resolve) => {
    const message = `It does not answer within ${WITHIN_MS / 1000} s.`;
    stop = clock.after(WITHIN_MS, () => resolve({ kind: "silent", message }));
  });
  return Promise.race([asked, late]).finally(stop);
}

const versionIn = ({ agentInfo }: Fields): string =>
  isFields(agentInfo) && typeof agentInfo.version === "string" ? agentInfo.version : "unknown";

function refusalOf(error: unknown, address: HallAddress): HallAnswer {
  // Where there are no tokens a hall does not even hear a stranger out.
  if (error instanceof RequestFailed && error.lost) {
    const message = `${showAddress(address)} ended the connection before it answered: it takes nobody without a token, or it is no hall.`;
    return { kind: "refuses", message };
  }
  return { kind: exitCode(error) === 4 ? "refuses" : "silent", message: messageOf(error) };
}
