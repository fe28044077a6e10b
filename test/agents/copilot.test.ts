import { copilot } from "./real/copilot.ts";
import { rehearse } from "./rehearse.ts";

rehearse(copilot);
