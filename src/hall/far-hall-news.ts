import type { BridgeNews } from "../bridge/bridge.ts";
import { showDuration } from "../ground/duration.ts";

/** What the log says when something happens to the connection to a hall behind this one. `patience`: in milliseconds. */
export function farHallNews(news: BridgeNews, address: string, patience: number): string {
  switch (news.state) {
    case "lost":
      return `The connection to the hall at ${address} was lost; it is tried again for ${showDuration(patience)}.`;
    case "trying again":
      return `The hall at ${address} is not back yet: ${sentence(news.why)}`;
    case "back":
      return `Back at the hall at ${address} after ${(news.ms / 1_000).toFixed(1)} s.`;
    case "torn":
      return `The hall at ${address} has not all of session ${news.sessionId} that was read: its machine went down.`;
    case "given up":
      return `The hall at ${address} is given up: ${sentence(news.why)}`;
  }
}

/** The first line, and its end: what follows is a sentence of ours. */
export function sentence(why: string): string {
  const [first = ""] = why.split("\n");
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
