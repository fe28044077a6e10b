/**
 * Why a turn's signal aborts: somebody cancelled it, or there is nobody any more who could see it. And why what still
 * waits for the client at a turn's end is given up.
 */
export class TurnCancelled extends Error {
  readonly by: "person" | "departure" | "end";

  constructor(by: "person" | "departure" | "end") {
    super(SENTENCES[by]);
    // What libraries know an abort by.
    this.name = "AbortError";
    this.by = by;
  }
}

const SENTENCES = {
  person: "The turn was cancelled.",
  departure: "The client is gone.",
  end: "The turn is over.",
};
