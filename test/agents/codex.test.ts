import { codex } from "./real/codex.ts";
import { rehearse } from "./rehearse.ts";

rehearse(codex);
