import { claudeCode } from "./real/claude-code.ts";
import { rehearse } from "./rehearse.ts";

rehearse(claudeCode);
