import { codexAcp } from "./real/codex-acp.ts";
import { rehearse } from "./rehearse.ts";

rehearse(codexAcp);
