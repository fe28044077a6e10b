import fs from "node:fs";
import path from "node:path";
import { codeOf } from "../ground/thrown.ts";
import { type Holder, isUnreadable, readHolder } from "./lock-holder.ts";

/** Another hall has the state directory, or is about to. */
export class Locked extends Error {
  readonly holder: Holder;

  constructor(folder: string, holder: Holder) {
    super(
      `A hall runs on ${folder} already (pid ${holder.pid}, version ${holder.version}, since ${holder.since}): ` +
        "stop it first, or give this one a state folder of its own.",
    );
    this.name = "Locked";
    this.holder = holder;
  }
}

/** Whether a holder still lives. It may take its time: the lock stays sound meanwhile. */
export type IsAlive = (holder: Holder) => Promise<boolean>;

/**
 * The right to a state directory: the file `lock`, which names its holder. It comes to be by `link`, in which only
 * one of several starters can succeed, and always with its whole content.
 *
 * A dead holder's lock cannot simply be removed: a second starter that had read it too would a moment later remove
 * the lock of the first. So whoever wants to follow holder X first links `lock.after.X`: only one can. While that
 * is there and `lock` names X, nobody else may touch `lock`; with this checked, its maker renames its own file over
 * it. A maker that died in between is itself followed, by `lock.after.<maker>`, and so on: the end of the chain
 * wins. Keys never come again, so a claim on a holder that was followed already is void, whenever it is made.
 */
export class Lock {
  readonly #folder: string;
  readonly #holder: Holder;
  readonly #isAlive: IsAlive;
  readonly #file: string;
  /** Our holder's file, until it is linked or renamed to a name that counts. */
  readonly #own: string;

  private constructor(folder: string, holder: Holder, isAlive: IsAlive) {
    this.#folder = folder;
    this.#holder = holder;
    this.#isAlive = isAlive;
    this.#file = path.join(folder, "lock");
    this.#own = path.join(folder, `lock.by.${holder.key}`);
  }

  /** Throws `Locked` when another lives. `holder.key`: made for this call alone. */
  static async take(folder: string, holder: Holder, isAlive: IsAlive): Promise<Lock> {
    const lock = new Lock(folder, holder, isAlive);
    await lock.#take();
    return lock;
  }

  /** Gives the right back. Removes no lock but our own. */
  release(): void {
    if (readHolder(this.#file)?.key === this.#holder.key) fs.rmSync(this.#file);
  }

  async #take(): Promise<void> {
    fs.writeFileSync(this.#own, JSON.stringify(this.#holder), { flag: "wx", mode: 0o600 });
    try {
      let isTaken = false;
      while (!isTaken) isTaken = await this.#tryOnce();
    } finally {
      fs.rmSync(this.#own, { force: true });
    }
    await this.#sweep();
  }

  /** False: the lock changed hands while we looked at it. */
  async #tryOnce(): Promise<boolean> {
    if (this.#linkAs(this.#file)) return true;
    const holder = readHolder(this.#file);
    if (!holder) return false;
    if (await this.#isAlive(holder)) throw new Locked(this.#folder, holder);
    return this.#follow(holder);
  }

  async #follow(dead: Holder): Promise<boolean> {
    let last = dead;
    for (;;) {
      const claim = path.join(this.#folder, `lock.after.${last.key}`);
      if (this.#linkAs(claim)) return this.#replace(dead, claim);
      const rival = readHolder(claim);
      if (!rival) return false;
      if (await this.#isAlive(rival)) throw new Locked(this.#folder, rival);
      last = rival;
    }
  }

  /** With the claim in place: puts our lock over the dead one's, unless that was followed already. */
  #replace(dead: Holder, claim: string): boolean {
    if (readHolder(this.#file)?.key === dead.key) {
      fs.renameSync(this.#own, this.#file);
      return true;
    }
    fs.rmSync(claim);
    return false;
  }

  #linkAs(name: string): boolean {
    try {
      fs.linkSync(this.#own, name);
      return true;
    } catch (cause) {
      const code = codeOf(cause);
      if (code === "EEXIST") return false;
      throw new Error(
        `The lock of ${this.#folder} cannot be made (${code}): its file system must have hard links.`,
        {
          cause,
        },
      );
    }
  }

  /** Removes what the dead and we left behind: once `lock` is ours, no claim that is there counts any more. */
  async #sweep(): Promise<void> {
    for (const name of fs.readdirSync(this.#folder)) {
      if (!name.startsWith("lock.")) continue;
      const file = path.join(this.#folder, name);
      const maker = readHolder(file);
      const isBeingWritten = name.startsWith("lock.by.") && maker && isUnreadable(maker);
      if (!maker || isBeingWritten) continue;
      const isOurs = maker.key === this.#holder.key;
      if (isOurs || !(await this.#isAlive(maker))) fs.rmSync(file, { force: true });
    }
  }
}
