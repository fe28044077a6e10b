import { sdkExample } from "./real/sdk-example.ts";
import { rehearse } from "./rehearse.ts";

rehearse(sdkExample);
