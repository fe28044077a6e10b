/** What was typed, or the roster, is wrong: exit code 2. */
export class UsageError extends Error {}

/** No hall is there: exit code 3. */
export class NoHall extends Error {}

/** Whoever asks may not do this here: exit code 4. */
export class NotAllowed extends Error {}
