import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/**
 * An image that was built of the Dockerfile, by its name, and what runs it: `HALL_IMAGE=acp-hall npm test -- image`.
 * Without the name this is skipped: few machines that run the other tests can build one.
 */
const { HALL_IMAGE = "", HALL_CONTAINERS = "docker" } = process.env;
const MOST_BYTES = 250_000_000;

const containers = (...args: string[]): string =>
  execFileSync(HALL_CONTAINERS, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

describe.skipIf(HALL_IMAGE === "")("the image", () => {
  const name = `hall-image-test-${process.pid}`;
  const volumes = ["tls", "state", "home"].map((volume) => `${name}-${volume}`);
  const [tls = "", state = "", home = ""] = volumes;
  const settings = [
    "-e HALL_CONFIG=/opt/hall/config/hall.team.yml",
    `-v ${tls}:/etc/hall/tls -v ${state}:/var/lib/hall -v ${home}:/home/node`,
  ].flatMap((options) => options.split(" "));
  /** As compose.yml runs it. */
  const walls = "--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges".split(" ");
  const once = (options: string[], command: string): string =>
    containers("run", "--rm", ...options, ...settings, HALL_IMAGE, ...command.split(" "));
  const inside = (...command: string[]): string => containers("exec", name, ...command);
  let token = "";

  beforeAll(() => {
    once(["-u", "root"], "sh /opt/hall/config/certificate.sh /etc/hall/tls localhost");
    token = once(walls, "hall token add ann").trim();
    containers("run", "-d", "--name", name, ...walls, ...settings, HALL_IMAGE);
    // Nothing says when it is open but its door.
    const open = 'i=0; until hall ping --json; do i=$((i + 1)); [ "$i" -lt 100 ] || exit 1; sleep 0.1; done';
    inside("sh", "-c", open);
  }, 60_000);

  afterAll(() => {
    spawnSync(HALL_CONTAINERS, ["rm", "-f", name]);
    spawnSync(HALL_CONTAINERS, ["volume", "rm", ...volumes]);
  });

  it(`takes less than ${MOST_BYTES / 1_000_000} MB`, () => {
    const size = Number(containers("image", "inspect", "--format", "{{.Size}}", HALL_IMAGE));
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThan(MOST_BYTES);
  });

  it("is not root, has an init as process 1, writes nowhere but where it should, and finds itself healthy", () => {
    expect(inside("id", "-un").trim()).toBe("node");
    expect(inside("cat", "/proc/1/comm").trim()).toBe("tini");
    expect(() => inside("touch", "/opt/hall/x")).toThrow("Read-only");
    expect(inside("sh", "-c", "touch /tmp/x ~/x /var/lib/hall/x && stat -c %a /var/lib/hall").trim()).toBe(
      "700",
    );
    expect(JSON.parse(inside("hall", "ping", "--json"))).toMatchObject({ name: "hall" });
  });

  it("has git, npx and the certificates of the world", () => {
    const commit =
      "git init -q repository && cd repository && touch a && git add a && git -c user.name=a -c user.email=a commit -qm a";
    inside("sh", "-c", `cd /tmp && ${commit} && npx --version && test -s /etc/ssl/certs/ca-certificates.crt`);
  });

  it("lets in by TLS who has a token, and nobody else", () => {
    const prompt = ["hall", "prompt", "--connect", "tls://localhost:7420", "slow, count to 2"];
    const showing = (shown: string): string =>
      containers(
        "exec",
        "-e",
        "HALL_TLS_CA=/etc/hall/tls/cert.pem",
        "-e",
        `HALL_TOKEN=${shown}`,
        name,
        ...prompt,
      );
    expect(showing(token)).toContain("1 2");
    expect(() => showing("of-nobody")).toThrow("The token is none of this hall's");
  });

  it("drains and stops when it is told to", () => {
    containers("stop", "-t", "45", name);
    expect(containers("inspect", "--format", "{{.State.ExitCode}}", name).trim()).toBe("0");
  });
});
