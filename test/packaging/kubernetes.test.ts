import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { StatefulSet } from "kubernetes-models/apps/v1";
import { Service } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { parseDuration } from "../../src/ground/duration.ts";
import { parseRoster } from "../../src/hall/roster.ts";
import { newToken } from "../../src/server/token.ts";
import { changeTokens } from "../../src/server/token-file.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { ROOT } from "./page.ts";
import { unreadPlaces } from "./unread-places.ts";

const FOLDER = join(ROOT, "deploy/kubernetes");
const yaml = (name: string) => parse(readFileSync(join(FOLDER, name), "utf8"));

/** What we ask of the set, beside what its schema does. */
const setShape = z.object({
  spec: z.object({
    replicas: z.literal(1),
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([
          z.object({
            args: z.array(z.string()),
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
            readinessProbe: z.object({ httpGet: z.object({ path: z.literal("/readyz"), port: z.string() }) }),
            livenessProbe: z.object({ httpGet: z.object({ path: z.literal("/healthz"), port: z.string() }) }),
            volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
      }),
    }),
  }),
});

const { template } = setShape.parse(yaml("statefulset.yaml")).spec;
const [container] = template.spec.containers;
/** As it lies in the pod. */
const rosterFile = container.env.find(({ name }) => name === "HALL_CONFIG")?.value ?? "";
const roster = parseRoster(readFileSync(join(FOLDER, "roster/hall.yml"), "utf8"), rosterFile, {});

describe("the manifests for Kubernetes", () => {
  it.each([
    ["statefulset.yaml", new StatefulSet(yaml("statefulset.yaml"))],
    ["service.yaml", new Service(yaml("service.yaml"))],
  ])("%s is valid by Kubernetes' schema, and has no key that the schema does not know", (_name, model) => {
    expect(unreadPlaces(model, (lent) => lent.validate())).toEqual([]);
  });

  it("a key that is misspelt would be found", () => {
    const misspelt = new Service(parse('{ spec: { port: [{ port: 1 }], ports: [{ port: "1" }] } }'));
    expect(() => misspelt.validate()).toThrow("ports");
    Object.assign(misspelt, parse("{ spec: { port: [{ port: 1 }], ports: [{ port: 1 }] } }"));
    expect(unreadPlaces(misspelt, (lent) => lent.validate())).toEqual([
      "/spec/port",
      "/spec/port/0",
      "/spec/port/0/port",
    ]);
  });

  it("the roster passes the check, listens where the probes and the service look, and all that it names is mounted", () => {
    expect(roster.warnings).toEqual([]);
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports).toEqual({ acp: roster.listen.tcp?.port, http: roster.listen.http?.port });
    expect(container.readinessProbe.httpGet.port).toBe("http");
    expect(container.livenessProbe.httpGet.port).toBe("http");
    const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
    const { tls, tcp, http } = roster.listen;
    expect([tcp?.host, http?.host]).toEqual(["0.0.0.0", "0.0.0.0"]);
    const named = [rosterFile, roster.tokensFile, tls?.cert ?? "", tls?.key ?? ""].map((file) =>
      dirname(file),
    );
    expect([...named, roster.state].filter((folder) => !mounted.includes(folder))).toEqual([]);
  });

  it("a pod gets more time to stop than the hall takes: its drain, the ladder's three steps, and the agents' end", () => {
    const drain = parseDuration(container.args[container.args.indexOf("--drain") + 1] ?? "") ?? Number.NaN;
    const grace = template.spec.terminationGracePeriodSeconds * 1000;
    expect(grace).toBeGreaterThanOrEqual(drain + 3 * roster.cancelGrace + 20_000);
  });

  it.skipIf(spawnSync("kubectl", ["version", "--client"]).status !== 0)(
    "kustomize puts the roster and the tokens' hashes beside them, under the names that the set mounts",
    () => {
      const folder = join(temporaryFolder(), "kubernetes");
      cpSync(FOLDER, folder, { recursive: true });
      const { token } = newToken({ name: "ann", scopes: ["prompt"], slots: undefined }, 0);
      changeTokens(resolve(folder, "roster/../tokens/tokens.yml"), () => [token]);
      const rendered = execFileSync("kubectl", ["kustomize", folder], { encoding: "utf8" });
      const kinds = parseAllDocuments(rendered).map((document) => {
        const { kind, metadata, data } = z
          .object({
            kind: z.string(),
            metadata: z.object({ name: z.string() }),
            data: z.record(z.string(), z.string()).optional(),
          })
          .parse(document.toJS());
        return [kind, metadata.name, ...Object.keys(data ?? {})].join(" ");
      });
      expect(kinds.toSorted()).toEqual([
        "ConfigMap hall-roster hall.yml",
        "Secret hall-tokens tokens.yml",
        "Service hall",
        "StatefulSet hall",
      ]);
    },
  );

  it("nobody's tokens are kept in the repository", () => {
    expect(readdirSync(join(FOLDER, "tokens")).filter((name) => name !== "tokens.yml")).toEqual([
      ".gitignore",
    ]);
    expect(readFileSync(join(FOLDER, "tokens/.gitignore"), "utf8")).toContain("\n*\n");
  });
});
