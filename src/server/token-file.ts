import fs from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { isFields } from "../acp/checks.ts";
import { changeFile, NotClaimed } from "../ground/file-change.ts";
import { codeOf, messageOf } from "../ground/thrown.ts";
import { SCOPES, type Scope } from "../hall/grant.ts";
import type { Token } from "./token.ts";

/** The tokens file cannot be used: a sentence that says why, and what to do. */
export class TokenFileError extends Error {
  constructor(file: string, trouble: string, cause?: unknown) {
    super(`The tokens file ${file} ${trouble}.`, { cause });
    this.name = "TokenFileError";
  }
}

const OTHERS_MAY_WRITE = 0o022;
const ROOT = 0;
const HEAD = `# Who may come in from outside; hall token writes it. There are no tokens in here, only their hashes.\n`;

/** Those who may come in; nobody when there is no such file. Throws TokenFileError. */
export function readTokens(file: string): Token[] {
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw new TokenFileError(file, `cannot be opened (${messageOf(error)})`, error);
  }
  try {
    mustBeOurs(file, fs.fstatSync(fd));
    return tokensIn(fs.readFileSync(fd, "utf8"), file);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Changes the file: `change` gets those of now and answers those that are to be. Two who do so at once do not lose
 * each other's. Throws TokenFileError.
 */
export function changeTokens(file: string, change: (tokens: Token[]) => Token[]): void {
  const text = (): string =>
    HEAD + stringify({ tokens: change(readTokens(file)).map(written) }, { version: "1.2" });
  try {
    changeFile(file, { mode: 0o600 }, text);
  } catch (error) {
    throw error instanceof NotClaimed ? notClaimed(file, error) : error;
  }
}

function notClaimed(file: string, { fresh, cause }: NotClaimed): TokenFileError {
  if (codeOf(cause) === "EEXIST")
    return new TokenFileError(file, `is being changed by another; if none runs any more, remove ${fresh}`);
  if (codeOf(cause) === "ENOENT")
    return new TokenFileError(file, `has no folder; make ${path.dirname(file)}`, cause);
  return new TokenFileError(file, `cannot be written (${messageOf(cause)})`, cause);
}

/** Whoever may write the file may come in as anybody. */
function mustBeOurs(file: string, { uid, mode }: fs.Stats): void {
  const ours = process.getuid?.();
  if (ours === undefined) return;
  if (uid !== ours && uid !== ROOT)
    throw new TokenFileError(file, "is another user's; make it yours with chown");
  if ((mode & OTHERS_MAY_WRITE) !== 0)
    throw new TokenFileError(file, "can be written by other users; take that away with chmod go-w");
}

function tokensIn(text: string, file: string): Token[] {
  let content: unknown;
  try {
    content = parse(text, { version: "1.2", logLevel: "error" });
  } catch (error) {
    throw new TokenFileError(file, "is no YAML; put back what hall token wrote", error);
  }
  const list = isFields(content) ? (content.tokens ?? []) : content;
  if (list === null || list === undefined) return [];
  if (!Array.isArray(list)) throw new TokenFileError(file, "has no list of tokens");
  return list.map((entry, at) => readToken(entry, () => faultAt(file, at)));
}

const faultAt = (file: string, at: number): TokenFileError =>
  new TokenFileError(
    file,
    `has a token that cannot be read (number ${at + 1}); put back what hall token wrote`,
  );

/** Strict: what is not understood is no right to anything. */
function readToken(entry: unknown, fault: () => TokenFileError): Token {
  if (!isFields(entry)) throw fault();
  const { id, name, hash, scopes, slots, created, ...others } = entry;
  const texts = [id, name, hash, created];
  if (!isTexts(texts) || Object.keys(others).length > 0) throw fault();
  if (!isTexts(scopes) || !scopes.every(isScope)) throw fault();
  if (slots !== undefined && !isTexts(slots)) throw fault();
  const [idText = "", nameText = "", hashText = "", createdText = ""] = texts;
  return { id: idText, name: nameText, hash: hashText, scopes, slots, created: createdText };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

const written = ({ slots, ...token }: Token): object => ({ ...token, ...(slots ? { slots } : {}) });
