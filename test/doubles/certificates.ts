import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Whether certificates can be made here. */
export const hasOpenssl = ["/usr/bin/openssl", "/bin/openssl", "/usr/local/bin/openssl"].some(existsSync);

/** An authority of a test's own, and certificates of it for 127.0.0.1 and localhost: files in a folder. */
export class Authority {
  readonly #folder: string;
  readonly #name: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
    this.#openssl("req", "-x509", ...this.#fresh(name), "-subj", `/CN=${name}`, "-days", "2");
  }

  get ca(): string {
    return this.#file(`${this.#name}.pem`);
  }

  certificate(name: string): { cert: string; key: string } {
    const [cert, key] = [this.#file(`${name}.pem`), this.#file(`${name}.key`)];
    const signer = ["-CA", this.ca, "-CAkey", this.#file(`${this.#name}.key`)];
    const names = "subjectAltName=IP:127.0.0.1,DNS:localhost";
    const subject = ["-subj", `/CN=${name}`, "-addext", names];
    this.#openssl("req", "-x509", ...this.#fresh(name), ...signer, ...subject, "-days", "2");
    return { cert, key };
  }

  #fresh(name: string): string[] {
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    return [...key, "-keyout", this.#file(`${name}.key`), "-out", this.#file(`${name}.pem`)];
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }

  #openssl(...words: string[]): void {
    execFileSync("openssl", words, { stdio: "pipe" });
  }
}
