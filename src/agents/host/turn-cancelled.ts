/** Why a turn's signal aborts. */
export class TurnCancelled extends Error {
  constructor() {
    super("The turn was cancelled.");
    this.name = "AbortError";
  }
}
