import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fields, isFields } from "../../../src/acp/checks.ts";
import { StreamTransport } from "../../../src/wire/streams.ts";
import { AcpClient } from "../../doubles/acp-client.ts";
import { allowEverything } from "../answers.ts";
import { FakeModel } from "../fake-model/fake-model.ts";
import { A_TEXT } from "../fake-model/script/scenes-of-speech.ts";
import { HALL_PROGRAM } from "../hall-process.ts";
import type { RealAgent } from "../real/real-agent.ts";
import { drift, kindsOf } from "./kinds-of-lines.ts";

const RECORDINGS = join(import.meta.dirname, "..", "..", "recordings");
const cue = (words: string): string => `Please do what the next line says.\ncue: ${words}`;

interface Rehearsed {
  /** Its name on PATH. */
  readonly program: string;
  /** The folder of its recordings. */
  readonly recorded: string;
  /** The preset of `one-shot` that runs it. */
  readonly preset?: string;
}

/** The adapter alone, with the real program behind it: what a hall does not ask of it, and whether that still says what was recorded. */
export function rehearseAlone(agent: RealAgent, { program, recorded, preset }: Rehearsed): void {
  describe(`hall agent ${agent.name}`, () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "hall-alone-")));
    const work = join(folder, "work");
    const heard = join(folder, "heard.jsonl");
    const children: ChildProcess[] = [];
    let model: FakeModel;

    beforeAll(async () => {
      mkdirSync(work);
      model = await FakeModel.start();
    });
    afterAll(async () => {
      for (const child of children) {
        const ended = child.exitCode === null ? once(child, "exit") : undefined;
        child.stdin?.end();
        await ended;
      }
      await model?.stop();
      // To record anew, for a new version of the program: what it said, in the shape of the recordings.
      const keep = process.env.HALL_AGENTS_RECORD;
      if (keep !== undefined) writeFileSync(join(keep, `${agent.name}.jsonl`), asRecording(heard));
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    });

    async function connect(adapter = [agent.name]): Promise<AcpClient> {
      const { env, command = [program] } = agent.prepare({
        home: join(folder, "home"),
        model: model.address,
      });
      const file = adapter.length > 1 ? join(folder, "by-preset.jsonl") : heard;
      const tee = [process.execPath, join(import.meta.dirname, "tee.mjs"), file, ...command];
      const child = spawn(
        process.execPath,
        [HALL_PROGRAM, "agent", ...adapter, "--env", ...Object.keys(env), "--", ...tee],
        { env },
      );
      children.push(child);
      const client = new AcpClient(new StreamTransport(child.stdout, child.stdin), work);
      allowEverything(client);
      await client.initialize();
      return client;
    }

    it("runs turns, loads the session in another process with the user's words in order, and forks it", async () => {
      const client = await connect();
      const { sessionId } = await client.newSession();
      if (agent.askingMode !== undefined) await client.setMode(sessionId, agent.askingMode);
      for (const words of ["say Heron", "think", "bash echo done > alone.txt"]) {
        expect(await client.prompt(sessionId, cue(words))).toMatchObject({ stopReason: "end_turn" });
      }
      expect(existsSync(join(work, "alone.txt"))).toBe(true);
      await expect(client.prompt(sessionId, cue("error 400"))).rejects.toMatchObject({ code: -32603 });
      expect(await client.prompt(sessionId, cue("text"))).toMatchObject({ stopReason: "end_turn" });
      expect(client.texts(sessionId)).toContain(A_TEXT);
      await client.closeSession(sessionId);

      const other = await connect();
      await other.load(sessionId);
      const said = other.userTexts(sessionId);
      expect(said.indexOf("say Heron")).toBeGreaterThan(-1);
      expect(said.indexOf("cue: text")).toBeGreaterThan(said.indexOf("say Heron"));
      expect(other.texts(sessionId)).toMatch(/Heron.*A streamed answer/s);
      await other.closeSession(sessionId);
      const fork = Object(
        await other.request("session/fork", { sessionId, cwd: work, mcpServers: [] }),
      ).sessionId;
      expect(fork).not.toBe(sessionId);
      expect(await other.prompt(fork, cue("say Kingfisher"))).toMatchObject({ stopReason: "end_turn" });
    });

    it("knows no session that the program does not know", async () => {
      const client = await connect();
      const unknown = client.resume("99999999-2222-4333-8444-000000000000");
      await expect(unknown).rejects.toMatchObject({ code: -32002 });
    });

    it.runIf(preset)(
      "runs one turn after the other by its preset, each knowing of those before it",
      async () => {
        const client = await connect(["one-shot", "--preset", preset ?? ""]);
        const { sessionId } = await client.newSession();
        for (const words of ["say Heron", "text"]) {
          expect(await client.prompt(sessionId, cue(words))).toMatchObject({ stopReason: "end_turn" });
        }
        expect(client.texts(sessionId)).toMatch(/^Heron.*A streamed answer/s);
        const later = model.exchanges.filter((exchange) => JSON.stringify(exchange).includes("cue: text"));
        expect(JSON.stringify(later.at(-1))).toContain("say Heron");
        await expect(client.prompt(sessionId, cue("error 400"))).rejects.toMatchObject({ code: -32603 });
      },
    );

    it("hears from the program what was recorded of it, and nothing else", () => {
      const live = kindsOf(linesIn(readFileSync(heard, "utf8")));
      const files = readdirSync(join(RECORDINGS, recorded));
      const known = kindsOf(
        files.flatMap((file) =>
          linesIn(readFileSync(join(RECORDINGS, recorded, file), "utf8"))
            .filter(({ dir }) => dir === "<")
            .flatMap(({ msg }) => (isFields(msg) ? [msg] : [])),
        ),
      );
      expect(live.size).toBeGreaterThan(5);
      expect(drift(live, known)).toEqual([]);
    });
  });
}

const asRecording = (file: string): string =>
  linesIn(readFileSync(file, "utf8"))
    .map((msg) => `${JSON.stringify({ dir: "<", msg })}\n`)
    .join("");

const linesIn = (text: string): Fields[] =>
  text.split("\n").flatMap((line) => {
    const value: unknown = line === "" ? undefined : JSON.parse(line);
    return isFields(value) ? [value] : [];
  });
