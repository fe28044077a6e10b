/** ACP v1's method names (schema of `@agentclientprotocol/sdk` 2.4). */

/** What a client asks of an agent. */
export const AgentMethod = {
  initialize: "initialize",
  authenticate: "authenticate",
  logout: "logout",
  newSession: "session/new",
  loadSession: "session/load",
  resumeSession: "session/resume",
  listSessions: "session/list",
  deleteSession: "session/delete",
  closeSession: "session/close",
  setMode: "session/set_mode",
  setConfigOption: "session/set_config_option",
  prompt: "session/prompt",
} as const;

/** What a client tells an agent. */
export const CANCEL = "session/cancel";

/** What an agent tells a client. */
export const UPDATE = "session/update";

/** What an agent asks of a client. */
export const ClientMethod = {
  requestPermission: "session/request_permission",
  readTextFile: "fs/read_text_file",
  writeTextFile: "fs/write_text_file",
  createTerminal: "terminal/create",
  terminalOutput: "terminal/output",
  waitForTerminal: "terminal/wait_for_exit",
  killTerminal: "terminal/kill",
  releaseTerminal: "terminal/release",
  createElicitation: "elicitation/create",
} as const;

export const ELICITATION_COMPLETE = "elicitation/complete";

/** Both ways: takes a request back that the other side has not answered yet. */
export const CANCEL_REQUEST = "$/cancel_request";

/** Method names that begin so belong to whoever made them (ACP: extensibility). */
export const isExtension = (method: string): boolean => method.startsWith("_");
