/** How fast the show goes, in ms. */
export interface Tempo {
  /** A word of the agent's. */
  word: number;
  /** What a caption is given to be read. */
  caption: number;
  /** How long the client stays away after its connection broke. */
  away: number;
}

/** For somebody who reads along, and for a file. */
export const READ_ALONG: Tempo = { word: 35, caption: 1300, away: 1200 };
export const UNWATCHED: Tempo = { word: 20, caption: 0, away: 400 };
