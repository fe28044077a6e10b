/** Seconds. Longer than the hook's own deadline: what takes longer than this, Claude Code lets run. */
const HOOK_TIMEOUT = 600;

/** What goes into Claude Code's settings.json. A version that does not know `onFailure` passes over it. */
export const HOOK_SETTINGS = {
  hooks: {
    PreToolUse: [
      {
        matcher: "*",
        hooks: [{ type: "command", command: "hall permit", timeout: HOOK_TIMEOUT, onFailure: "block" }],
      },
    ],
  },
};
