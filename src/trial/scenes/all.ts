import type { Scene } from "./scene.ts";
import { close, eof, eofInTurn, load, manners, offer, resume, sigint, sigterm, start } from "./silent.ts";
import { cancel, cancelQuestion, command, overlap, refuseQuestion, talk, unknownOption } from "./speaking.ts";

/** In the order in which they are played. */
export const scenes: readonly Scene[] = [
  ...[start, talk, cancel, overlap, refuseQuestion, unknownOption, cancelQuestion, command, close, eof],
  ...[load, eofInTurn],
  ...[resume, manners, sigterm],
  ...[offer, sigint],
];
