import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { cpSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { parseRoster } from "../../src/hall/roster.ts";
import { hasOpenssl } from "../doubles/certificates.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { ROOT } from "./page.ts";

const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const dockerfile = read("Dockerfile");

const roster = (name: string) => parseRoster(read(name), "/etc/hall/hall.yml", {});

it.each(["config/hall.container.yml", "config/hall.team.yml"])(
  "%s passes the check, and keeps its state on the image's volume",
  (name) => {
    const { warnings, state } = roster(name);
    expect(warnings).toEqual([]);
    expect(dockerfile).toContain(`VOLUME ["${state}", "/home/node"]`);
  },
);

it("what the Dockerfile copies is not ignored, and is there", () => {
  const ignored = read(".dockerignore").split("\n");
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) =>
    names.split(" "),
  );
  expect(copied.length).toBeGreaterThan(5);
  expect(copied.filter((name) => !ignored.includes(`!${name}`))).toEqual([]);
});

it("what the Dockerfile copies before it builds is all that the build needs", () => {
  const folder = temporaryFolder();
  const [, stage = ""] = /^FROM [^\n]* AS build\n(.*?)^RUN npm run build$/ms.exec(dockerfile) ?? [];
  for (const [, names = ""] of stage.matchAll(/^COPY (.+) \S+$/gm))
    for (const name of names.split(" ")) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  execFileSync("npm", ["run", "build"], { cwd: folder, stdio: "pipe" });
  const version = execFileSync(process.execPath, [join(folder, "dist/cli/main.js"), "--version"]).toString();
  expect(version.trim()).toBe(JSON.parse(read("package.json")).version);
});

it("compose.yml has the hall behind TLS and tokens, and gives it what its roster names", () => {
  const { services } = z
    .object({
      services: z.object({
        hall: z.object({
          read_only: z.literal(true),
          tmpfs: z.tuple([z.literal("/tmp")]),
          cap_drop: z.tuple([z.literal("ALL")]),
          security_opt: z.tuple([z.literal("no-new-privileges:true")]),
          stop_grace_period: z.literal("45s"),
          ports: z.array(z.string()),
          volumes: z.array(z.string()),
        }),
      }),
    })
    .parse(parse(read("compose.yml")));
  const { tls, http, tcp } = roster("config/hall.team.yml").listen;
  const mounted = services.hall.volumes.map((volume) => volume.split(":")[1]);
  expect(mounted).toEqual(
    expect.arrayContaining([
      "/etc/hall/hall.yml",
      dirname(tls?.cert ?? ""),
      dirname(tls?.key ?? ""),
      roster("config/hall.team.yml").state,
      dirname(roster("config/hall.team.yml").tokensFile),
    ]),
  );
  expect(services.hall.ports).toEqual([tcp, http].map((address) => `${address?.port}:${address?.port}`));
});

it.skipIf(!hasOpenssl)(
  "its certificate is for the name that is said, the key for its owner alone, and one that is there stays",
  () => {
    const folder = temporaryFolder();
    const make = () =>
      execFileSync("sh", [join(ROOT, "config/certificate.sh"), folder, "box.example"], {
        encoding: "utf8",
        stdio: "pipe",
      });
    expect(make()).toContain("Made a certificate for box.example");
    const pem = readFileSync(join(folder, "cert.pem"));
    const certificate = new X509Certificate(pem);
    expect(["box.example", "localhost"].map((name) => certificate.checkHost(name))).toEqual([
      "box.example",
      "localhost",
    ]);
    expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(statSync(join(folder, "key.pem")).mode & 0o077).toBe(0);
    expect(make()).toContain("it stays");
    expect(readFileSync(join(folder, "cert.pem"))).toEqual(pem);
  },
);
