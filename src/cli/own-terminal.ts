import fs from "node:fs";

/** The terminal that this process runs in, as far as whether that has been closed since. */
export class OwnTerminal {
  readonly #was = canBeOpened();

  /**
   * Whether a SIGHUP came because the terminal was closed, and not from somebody who sent it: one that is closed cannot
   * be opened any more. False where there never was one.
   */
  get isGone(): boolean {
    return this.#was && !canBeOpened();
  }
}

/** Whatever the streams of this process are: the terminal that it is controlled by. */
function canBeOpened(): boolean {
  const { O_RDWR, O_NOCTTY, O_NONBLOCK } = fs.constants;
  try {
    fs.closeSync(fs.openSync("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK));
    return true;
  } catch {
    // Why it cannot does not matter: there is none, or not any more.
    return false;
  }
}
