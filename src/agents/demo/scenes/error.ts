import { Code, RpcError } from "../../../acp/errors.ts";
import type { Scene } from "./scene.ts";

export const error: Scene = {
  words: ["error"],
  does: "a turn that ends with an error instead of an answer",
  async play(turn) {
    await turn.say("Here it comes. ");
    throw new RpcError(Code.internal, "You asked the demo agent for an error, and this is it.", {
      demo: true,
    });
  },
};
