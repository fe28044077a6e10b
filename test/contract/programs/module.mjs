// A function as an agent, played from a script.
import { defineAgent } from "acp-hall/agent";
import { playTurn } from "./module-turn.mjs";

export default defineAgent({
  name: "played-module",
  prompt(turn) {
    const memory = [...(turn.session.recall() ?? []), turn.text];
    turn.session.remember(memory);
    return playTurn(turn, memory.join(" | "));
  },
});
