import { comparesProtocol } from "./alone/codex-protocol.ts";
import { rehearseAlone } from "./alone/rehearse-alone.ts";
import { codex } from "./real/codex.ts";
import { rehearse } from "./rehearse.ts";

rehearse(codex);
rehearseAlone(codex, { program: "codex", recorded: "codex-0.171.0", preset: "codex-exec" });
comparesProtocol();
