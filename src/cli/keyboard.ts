/** The part of a terminal's stdin that is needed here. */
export interface KeyInput {
  setRawMode(isRaw: boolean): unknown;
  on(event: "data", take: (bytes: Buffer) => void): unknown;
  off(event: "data", take: (bytes: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

const ESCAPE = "\x1b";

/** Keys of a terminal, one by one and not shown, until the answer is called. Arrows and the like are left out. */
export function listenForKeys(input: KeyInput, press: (key: string) => void): () => void {
  let isOver = false;
  const take = (bytes: Buffer): void => {
    const text = bytes.toString("utf8");
    // A key that has no character comes as a sequence, in one piece.
    if (text.startsWith(ESCAPE)) return;
    // Several keys may come at once, and the first may have been the last that was wanted.
    for (const key of text) if (!isOver) press(key);
  };
  input.setRawMode(true);
  input.on("data", take);
  input.resume();
  return () => {
    isOver = true;
    input.off("data", take);
    input.setRawMode(false);
    input.pause();
  };
}
