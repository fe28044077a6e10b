import type { BridgeNews } from "../bridge/bridge.ts";
import { showDuration } from "../ground/duration.ts";

/** What is said when something happens to the connection to a hall, of an editor or of another. `patience`: in milliseconds. */
export function linkNews(news: BridgeNews, patience: number, whose = "the editor"): string {
  switch (news.state) {
    case "lost":
      return `The connection to the hall was lost; trying to come back for ${showDuration(patience)}.`;
    case "trying again":
      return `Not back yet, trying again: ${sentence(news.why)}`;
    case "back":
      return `Back at the hall after ${seconds(news.ms)}; ${whose} goes on where it was.`;
    case "torn":
      return (
        `The hall has not all of session ${news.sessionId} that was shown: its machine went down. ` +
        "Load the session again to see what there is."
      );
    case "given up":
      if (patience === 0)
        return "The connection to the hall was lost, and --reconnect says not to try again.";
      return news.ms === 0
        ? `The hall does not let us in again: ${sentence(news.why)}`
        : `Given up after ${seconds(news.ms)}: ${sentence(news.why)}`;
  }
}

const seconds = (ms: number): string => `${(Math.max(100, ms) / 1000).toFixed(1)} s`;

/** Its first line, and no more: it stands in a line of ours. */
function sentence(why: string): string {
  const [first = ""] = why.split("\n");
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
