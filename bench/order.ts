/** What a prompt asks of the bench's agent: the text of its only block, as JSON. */
export interface Order {
  /** How many updates it streams before it answers. */
  updates: number;
  /** Characters of each update's text. */
  text: number;
  /** Each text begins with its number: what is lost, doubled or moved can be told. Slower to make. */
  numbered?: boolean;
  /** Milliseconds that it rests after each 64 KiB; else it goes as fast as it can. */
  rest?: number;
}

/** The shortest turn there is. */
export const NOTHING: Order = { updates: 0, text: 0 };
