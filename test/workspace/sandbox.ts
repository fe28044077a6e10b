import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { RpcError } from "../../src/acp/errors.ts";

/** A folder with a session's workspace (`project`), a second one (`library`), and what lies outside of both. */
export class Sandbox {
  readonly home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hall-workspace-")));
  readonly project = this.folder("project");
  readonly library = this.folder("library");
  readonly outside = this.folder("outside");

  /** Makes a folder; answers its path. */
  folder(...names: string[]): string {
    const place = path.join(this.home, ...names);
    fs.mkdirSync(place, { recursive: true });
    return place;
  }

  /** Makes a file with its folders; answers its path. */
  file(name: string, content = ""): string {
    const place = path.join(this.home, name);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, content);
    return place;
  }

  /** Makes a link; answers its path. */
  link(name: string, target: string): string {
    const place = path.join(this.home, name);
    fs.symlinkSync(target, place);
    return place;
  }

  remove(): void {
    fs.rmSync(this.home, { recursive: true });
  }
}

/** The error with which a promise is rejected; it must be one that can go over the wire. */
export async function rejection(promise: Promise<unknown>): Promise<RpcError> {
  const error = await promise.then(
    () => new Error("it was not rejected"),
    (reason: unknown) => reason,
  );
  if (error instanceof RpcError) return error;
  throw error;
}
