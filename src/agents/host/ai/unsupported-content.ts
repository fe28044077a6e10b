import { Code, RpcError } from "../../../acp/errors.ts";

/** Something that one side can say and the other cannot. It is never left out in silence. */
export class UnsupportedContent extends RpcError {
  /** @param what for example `a block of type "video"` */
  constructor(what: string, side: "ACP" | "the AI SDK") {
    super(Code.invalidParams, `${what} has no counterpart in ${side}.`, { name: "UnsupportedContent" });
    this.name = "UnsupportedContent";
  }
}
