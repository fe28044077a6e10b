/** What was typed, or the roster, is wrong: exit code 2. */
export class UsageError extends Error {}

/** No hall is there: exit code 3. */
export class NoHall extends Error {}

/** The hall that a command listened to is gone, and nobody said that it would go: exit code 1. */
export class LostHall extends Error {
  constructor() {
    super("The connection to the hall was lost.");
  }
}

/** Whoever asks may not do this here: exit code 4. */
export class NotAllowed extends Error {}
