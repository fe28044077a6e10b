/** The hall is there and does not let us in: trying again would not change that. */
export class TurnedAway extends Error {}
