import { opencode } from "./real/opencode.ts";
import { rehearse } from "./rehearse.ts";

rehearse(opencode);
