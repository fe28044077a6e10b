import { z } from "zod";
import { ADAPTER_NAMES, PRESET_NAMES } from "../../agents/adapters/names.ts";
import { tcpAddress } from "./address.ts";
import { choice, service } from "./choice.ts";
import { count } from "./count.ts";
import { duration, durationOrNever, durationOrNone } from "./duration.ts";
import { hallAddress } from "./far-hall.ts";
import { list, listAdvice, named, section } from "./leaf.ts";
import { mcpServer } from "./mcp-server.ts";
import { permissionRules } from "./permission-rule.ts";
import { size } from "./size.ts";
import { SLOT_NAME } from "./slot-name.ts";
import { toggle } from "./switch.ts";
import { place, program, text, words } from "./text.ts";
import { UNBUILT } from "./unbuilt.ts";

/** From the line that a client may send before it has introduced itself, to what fits into one string with room to spare. */
const LINE = { atLeast: 64 * 2 ** 10, atMost: 256 * 2 ** 20 };

const slot = section({
  title: words().optional().describe("What menus show. Without it, the slot's name."),
  description: text().optional().describe("What the slot is for, in a sentence."),
  agent: words().optional().describe("A known agent, by its id in the ACP registry. Instead of `command`."),
  command: z
    .tuple([program()], text(), { error: listAdvice("[my-agent, --acp]") })
    .optional()
    .describe(
      "Any agent that speaks ACP on stdio: the program and its arguments. They are public: no keys here.",
    ),
  adapter: choice(ADAPTER_NAMES)
    .optional()
    .describe("A program that does not speak ACP, and what makes it. `command` may then name its program."),
  preset: choice(PRESET_NAMES)
    .optional()
    .describe(
      "For adapter: one-shot, instead of `command`: a well-known program that runs one turn and ends.",
    ),
  output: choice(["text", "jsonl"])
    .prefault("text")
    .describe("For adapter: one-shot: what the command writes is the answer, or one event a line."),
  resume_args: z
    .array(text(), { error: listAdvice('["--session", "{session}"]') })
    .optional()
    .describe(
      "For adapter: one-shot: added from a session's second run on. {session} is what the command called it.",
    ),
  demo: toggle().optional().describe("The built-in agent, which needs no key. Instead of `command`."),
  module: place()
    .optional()
    .describe("An agent written as code: a JavaScript module, relative to the roster. Instead of `command`."),
  hall: hallAddress()
    .optional()
    .describe("Another hall: tcp://HOST:PORT, tls://…, ws://…, wss://… or unix:PATH. Instead of `command`."),
  slot: words().optional().describe("For hall: its slot. Without it, that hall's first."),
  token: text()
    .optional()
    .describe("For hall: the token to show there; none, if it is empty. Better a variable than itself."),
  token_file: place()
    .optional()
    .describe("For hall, instead of `token`: a file with the token in it; relative to the roster."),
  tls: section({
    ca: place()
      .optional()
      .describe("Who may have signed that hall's certificate, beside the usual authorities: a file in PEM."),
    cert: place()
      .optional()
      .describe("The certificate to show, where that hall asks for one: a file in PEM."),
    key: place().optional().describe("Its private key: a file in PEM."),
  })
    .prefault({})
    .describe("For hall by tls:// or wss://. Paths are relative to the roster."),
  args: list(text(), "[--model, large]").describe("Added to the command. They are public: no keys here."),
  env: named(text()).prefault({}).describe("Set in the agent's environment, beside the safe base."),
  env_inherit: list(words(), "[GITHUB_TOKEN]").describe(
    "Variables of the hall's own environment that the agent gets too.",
  ),
  cwd: place().prefault(".").describe("Working folder for clients that name none; relative to the roster."),
  concurrency: count({ atLeast: 1, atMost: 10_000 })
    .prefault(4)
    .describe(
      "Turns at once in this slot. A slot whose name begins with a number runs that many, whatever this says.",
    ),
  isolation: choice(["session", "slot"])
    .prefault("session")
    .describe("Whose an agent process is: one session's, or that of all sessions of the slot."),
  warm: count({ atLeast: 0, atMost: 10_000 })
    .prefault(0)
    .describe("Agent processes that are kept started and initialised for sessions to come."),
  idle_timeout: durationOrNever()
    .prefault("30m")
    .describe(
      "An agent process without turn, question or line for so long is stopped; its session stays. Or never.",
    ),
  init_timeout: duration()
    .prefault("60s")
    .describe(
      "How long an agent may take to start and answer initialize, and be silent while it opens a session.",
    ),
  turn_timeout: durationOrNever()
    .prefault("never")
    .describe(
      "A turn whose agent has said nothing for so long, and waits for nobody's answer, is cancelled and fails. Or never.",
    ),
  on_disconnect: choice(["keep", "cancel"])
    .prefault("keep")
    .describe("What becomes of a turn when its last client goes: it goes on, or it is cancelled."),
  on_restart: choice(["run", "drop"])
    .prefault("run")
    .describe(
      "What becomes of prompts with a key that waited when the hall ended: they run, or are dropped.",
    ),
  client_capabilities: named(z.unknown())
    .prefault({})
    .describe("Added to the client capabilities that the agent is initialised with."),
  cancel_tools: toggle()
    .optional()
    .describe("Whether a cancel also ends what the agent started in this turn in sessions of its own."),
  restore: choice(["transcript", "fresh"])
    .prefault("transcript")
    .describe("When the agent can neither resume nor load: tell it the conversation so far, or begin anew."),
  mcp_servers: list(mcpServer, "[{ name: files, command: some-server }]").describe(
    "Given to each session beside the client's own; as ACP writes them.",
  ),
  roots: list(place(), "[/srv/projects]").describe(
    "Folders that sessions are kept to, with their cwd and additional directories; relative to the roster. Empty: anywhere.",
  ),
  mcp_trust: list(mcpServer, "[{ name: files, command: some-server }]").describe(
    "MCP servers that clients may bring: the same command, arguments and environment. Empty: any.",
  ),
  fs: service()
    .optional()
    .describe("Who serves fs/*: the hall or a client on its machine, any client, nobody."),
  terminal: service()
    .optional()
    .describe("Who serves terminal/*: the hall or a client on its machine, any client, nobody."),
  share: toggle()
    .prefault(false)
    .describe("Whether everybody who may use this slot sees all sessions in it."),
  permission: section({
    timeout: durationOrNever().optional().describe("As at the top, for this slot."),
    rules: permissionRules().describe("Rules of this slot, before those at the top."),
  })
    .prefault({})
    .describe("Questions of this slot's agent."),
  ...UNBUILT.slot,
});

/** What a roster may hold. Defaults stand here and nowhere else. */
export const rosterSchema = section({
  listen: section({
    tcp: tcpAddress()
      .prefault("127.0.0.1:7420")
      .describe("ACP, one message a line: host:port, a port, or false."),
    http: tcpAddress()
      .prefault(false)
      .describe("WebSocket (/acp), /healthz, /readyz and /metrics: host:port, a port, or false."),
    tls: section({
      cert: place().describe("The certificate and those that it hangs on: a file in PEM format."),
      key: place().describe("Its private key: a file in PEM format."),
      client_ca: place()
        .optional()
        .describe("Who signs the certificates of clients. With it every client must show one."),
    })
      .optional()
      .describe("TLS, for tcp and http. Paths are relative to the roster."),
  })
    .prefault({})
    .describe("Where clients come in."),
  state: place()
    .prefault("./.hall")
    .describe("The hall's own folder, relative to the roster. One hall per folder."),
  durability: choice(["process", "power"])
    .prefault("process")
    .describe("What a recorded line survives: the end of the process, or a power cut too."),
  trust_loopback: toggle()
    .prefault(false)
    .describe("Whether every user of this machine may use the TCP port."),
  insecure: toggle()
    .prefault(false)
    .describe("Whether to listen beyond loopback without TLS. Tokens are still needed."),
  tokens_file: place()
    .prefault("./tokens.yml")
    .describe("Who may come in from outside; written by `hall token`. Hashes only."),
  http: section({
    origins: list(words(), "[https://hall.example.com]").describe(
      "Web pages that may connect, by their origin, beside those of the hall's own address.",
    ),
    hosts: list(words(), "[hall.example.com]").describe(
      "Names by which the hall is reached, beside localhost and the addresses that it listens on.",
    ),
  })
    .prefault({})
    .describe("Who may use listen.http."),
  slots: named(slot)
    .meta({ minProperties: 1, propertyNames: { type: "string", pattern: SLOT_NAME.source } })
    .describe("Ways to run an agent, by name. The first is the default."),
  permission: section({
    timeout: durationOrNever()
      .prefault("120s")
      .describe("A question that nobody has answered for so long is refused. Or never."),
    rules: permissionRules().describe("What is decided without a question: the first rule that fits."),
  })
    .prefault({})
    .describe("Questions of agents, in every slot."),
  cancel_grace: durationOrNone()
    .prefault("5s")
    .describe("Between cancel, SIGINT, SIGTERM and SIGKILL. 0: only the cancel, no signals."),
  queue: section({
    limit: count({ atLeast: 0, atMost: 10_000 }).prefault(16).describe("Prompts that may wait in a session."),
  })
    .prefault({})
    .describe("Prompts that wait."),
  limits: section({
    line: size(LINE).prefault("32MiB").describe("The longest line, of clients and of agents."),
    processes: count({ atLeast: 1, atMost: 10_000 }).prefault(64).describe("Agent processes at once."),
    sessions: count({ atLeast: 1, atMost: 10_000_000 }).prefault(10_000).describe("Sessions kept."),
    clients: count({ atLeast: 1, atMost: 100_000 }).prefault(1000).describe("Clients connected at once."),
    start_concurrency: count({ atLeast: 1, atMost: 1000 })
      .prefault(2)
      .describe("Agent processes starting at once."),
  })
    .prefault({})
    .describe("How much of everything there may be."),
  watch: toggle()
    .prefault(false)
    .describe("Whether the roster is reloaded when its file, or a certificate that it names, changes."),
  keep: toggle()
    .prefault(false)
    .describe("Whether a hall that an editor started runs on when nobody has needed it for 8 hours."),
  log: section({
    level: choice(["trace", "debug", "info", "warn", "error", "fatal"])
      .prefault("info")
      .describe("The least that is logged."),
    format: choice(["pretty", "json"])
      .optional()
      .describe("Without it: pretty on a terminal, json otherwise."),
  })
    .prefault({})
    .describe("The hall's own log."),
});

export type ReadRoster = z.output<typeof rosterSchema>;
export type ReadSlot = z.output<typeof slot>;
