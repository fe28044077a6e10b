/** An MCP server that is there and says nothing: to try it again in each turn would cost each turn the whole wait. */
export class SilentServer extends Error {
  /** @param ms that it had */
  constructor(ms: number) {
    super(`It did not answer within ${ms / 1_000} s, and is not asked again in this session.`);
  }
}
