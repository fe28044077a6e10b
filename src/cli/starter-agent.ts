/** What `hall init --agent` writes: an agent that answers, uses a tool, and asks before it writes. */
export const STARTER_AGENT = `// An agent, written as code. Alone: hall agent ./agent.mjs. In a hall: a slot with module: ./agent.mjs.
// What a turn can do: docs/write-an-agent.md, which comes with hall.
import { defineAgent } from "acp-hall/agent";

export default defineAgent({
  name: "my-agent",
  title: "My agent",
  async prompt(turn) {
    const call = turn.tool({ title: "Count the words", kind: "think", input: { text: turn.text } });
    const words = turn.text.split(/\\s+/).filter(Boolean).length;
    call.done(\`\${words} words\`);
    await turn.say(\`That was \${words} words.\`);
    if (turn.session.client.writeFile && (await turn.ask({ title: "Write them to words.txt", kind: "edit" }))) {
      await turn.writeFile("words.txt", \`\${turn.text}\\n\`);
      await turn.say(" I wrote them down.");
    }
  },
});
`;
