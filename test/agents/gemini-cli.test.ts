import { geminiCli } from "./real/gemini-cli.ts";
import { rehearse } from "./rehearse.ts";

rehearse(geminiCli);
