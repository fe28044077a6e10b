import { qwenCode } from "./real/qwen-code.ts";
import { rehearse } from "./rehearse.ts";

rehearse(qwenCode);
