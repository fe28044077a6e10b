import { pi } from "./real/pi.ts";
import { rehearse } from "./rehearse.ts";

rehearse(pi);
