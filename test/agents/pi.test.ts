import { rehearseAlone } from "./alone/rehearse-alone.ts";
import { pi } from "./real/pi.ts";
import { rehearse } from "./rehearse.ts";

rehearse(pi);
rehearseAlone(pi, { program: "pi", recorded: "pi-0.73.1" });
