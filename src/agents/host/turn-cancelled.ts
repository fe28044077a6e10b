/** Why a turn's signal aborts: somebody cancelled it, or there is nobody any more who could see it. */
export class TurnCancelled extends Error {
  readonly by: "person" | "departure";

  constructor(by: "person" | "departure") {
    super(by === "person" ? "The turn was cancelled." : "The client is gone.");
    // What libraries know an abort by.
    this.name = "AbortError";
    this.by = by;
  }
}
