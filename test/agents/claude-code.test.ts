import { rehearseAlone } from "./alone/rehearse-alone.ts";
import { claudeCode } from "./real/claude-code.ts";
import { rehearse } from "./rehearse.ts";

rehearse(claudeCode);
rehearseAlone(claudeCode, { program: "claude", recorded: "claude-code-2.1.332", preset: "claude-print" });
