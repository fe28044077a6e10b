// A model with a tool: npm install ai @ai-sdk/openai-compatible
// MODEL_URL is any OpenAI-compatible API, for example http://127.0.0.1:11434/v1 for Ollama.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiAgent } from "acp-hall/ai";
import { jsonSchema, tool } from "ai";

const { MODEL_URL = "http://127.0.0.1:11434/v1", MODEL = "llama3.2", MODEL_KEY } = process.env;
const provider = createOpenAICompatible({ name: "local", baseURL: MODEL_URL, apiKey: MODEL_KEY });

export default aiAgent({
  name: "assistant",
  title: "Assistant",
  model: provider(MODEL),
  system: ({ session }) => `You help with the files in ${session.cwd}. Be brief.`,
  kinds: { read_file: "read" },
  tools: (turn) => ({
    read_file: tool({
      description: "Reads a text file of the project.",
      inputSchema: jsonSchema({
        type: "object",
        properties: { path: { type: "string" } },
        required: ["path"],
      }),
      execute: ({ path }) => turn.readFile(path),
    }),
  }),
});
