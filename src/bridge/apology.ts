import type { Clock } from "../ground/clock.ts";
import type { ErrorBody } from "../wire/message.ts";
import { Peer } from "../wire/peer.ts";
import type { Transport } from "../wire/transport.ts";

/** For what an editor has in its pipe already. */
const LINGER_MS = 1000;
const LINE_BYTES = 32 * 2 ** 20;

/**
 * Answers whatever an editor asks with the reason why there is no hall that could: an editor shows the error of its
 * `initialize`, and rarely what stands on stderr. Resolves when the editor left, or a moment after the first answer.
 */
export function apologize(editor: Transport, why: ErrorBody, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let waits = false;
    const leave = (): void => {
      editor.pause();
      editor.end();
      resolve();
    };
    const linger = (): void => {
      if (!waits) clock.after(LINGER_MS, leave);
      waits = true;
    };
    const peer = new Peer(editor, LINE_BYTES, {
      request(request) {
        request.fail(why);
        linger();
      },
      notification() {},
      fault({ id, code, message, isResponse }) {
        if (!isResponse) peer.complain(id, { code, message });
      },
      stray() {},
      readEnd() {},
      tooLong: leave,
      ended: leave,
      closed: () => resolve(),
      broke: leave,
    });
    peer.start();
  });
}
