/** What is said to the agent. Each text also is one that the demo agent plays the right scene for. */
export interface Prompts {
  /** An ordinary turn. */
  talk: string;
  /** A turn that takes long enough to be cancelled. */
  long: string;
  /** A turn in which it runs a command that it should ask about. */
  tool: string;
}

export const PROMPTS: Prompts = {
  talk: 'Say the one word "echo" and nothing else.',
  long: "Count, slow and complete, from one up to 400 in words, one number a line, and do nothing else.",
  tool: "Use your tool for shell commands to run, in the foreground, once, exactly this command, which does nothing: timeout 60 tail -f /dev/null",
};

/** How often each is sent when all goes well. */
export const SENT: Readonly<Record<keyof Prompts, number>> = { talk: 2, long: 3, tool: 4 };
