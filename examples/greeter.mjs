// An agent is a function of a turn. Run it alone: hall agent ./greeter.mjs
import { defineAgent } from "acp-hall/agent";

export default defineAgent({
  name: "greeter",
  title: "Greeter",
  async prompt(turn) {
    const count = Number(turn.session.recall() ?? 0) + 1;
    turn.session.remember(count);
    await turn.say(`You said "${turn.text}". That was prompt ${count} of this session.`);
  },
});
