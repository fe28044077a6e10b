import { describe, expect, it } from "vitest";
import { faults, firstSlot, read } from "./rosters.ts";

const slotWith = (lines: string): string =>
  `slots:\n  a:\n    command: [agent]\n${lines.replace(/^/gm, "    ")}\n`;
const faultsWith = (lines: string): string[] => faults(slotWith(lines));
const slot = (lines: string) => firstSlot(read(slotWith(lines)));

describe("launch", () => {
  it.each([
    ["[ssh, host]", "ssh"],
    ["[/usr/bin/ssh, -p, '22', host]", "ssh"],
    ["[docker, run, -i, --rm, image]", "container"],
    ["[podman, exec, -i, box]", "container"],
    ["[nerdctl, run, --interactive, image]", "container"],
    ["[kubectl, exec, -i, pod, --]", "container"],
    ["[oc, exec, --stdin, pod, --]", "container"],
    ["[nice, -n, '5']", "here"],
  ])("is told by the name of its program: %s", (words, kind) => {
    expect(slot(`launch: ${words}`).launch?.kind).toBe(kind);
  });

  it("is what launch_kind says, whatever its name", () => {
    expect(slot("launch: [./into-the-box.sh]\nlaunch_kind: container").launch).toEqual({
      program: "/srv/into-the-box.sh",
      args: [],
      kind: "container",
    });
    expect(slot("launch: [ssh, host]\nlaunch_kind: here").launch?.kind).toBe("here");
  });

  it("is none when it is empty", () => {
    expect(slot("launch: []").launch).toBeUndefined();
    expect(slot("launch:").launch).toBeUndefined();
  });

  it("names no folder where the agent runs, unless cwd does", () => {
    expect(slot("launch: [ssh, host]").namesCwd).toBe(false);
    expect(slot("launch: [ssh, host]\ncwd: /work")).toMatchObject({ namesCwd: true, cwd: "/work" });
    expect(slot("launch: [nice]").namesCwd).toBe(true);
  });

  it.each([
    [
      "launch: [ssh, -tt, host]",
      '4:19: slots.a.launch[1]: "-tt" gives the agent a terminal, which garbles what it says; take it out',
    ],
    [
      "launch: [docker, run, -it, image]",
      '4:27: slots.a.launch[2]: "-it" gives the agent a terminal, which garbles what it says; write -i alone',
    ],
    [
      "launch: [podman, run, image]",
      "4:5: slots.a.launch: without -i nothing that is said reaches the agent; write -i",
    ],
    ['launch: [""]', '4:14: slots.a.launch[0]: "" says nothing; write the program to run'],
    [
      "launch_kind: ssh",
      "4:5: slots.a.launch_kind: this says what launch is, and there is none; write launch, or take the key out",
    ],
    [
      "launch: [ssh, host]\nfs: on",
      '5:9: slots.a.fs: "on" is not possible: the agent runs elsewhere, and the hall has only its own machine to serve; write client, or off',
    ],
    ["launch: [ssh, host]\nterminal: yes", /^5:15: slots\.a\.terminal: /],
    [
      "launch: [ssh, host]\ncancel_tools: true",
      "5:5: slots.a.cancel_tools: the agent runs elsewhere, where the hall sees no processes; take the key out",
    ],
    [
      "launch: [ssh, host]\nenv: { a.b: c }",
      '5:12: slots.a.env["a.b"]: this cannot be set by the shell that starts the agent there; take a name of letters, digits and _',
    ],
    ["launch: [ssh, host]\nenv_inherit: [a-b]", /^5:19: slots\.a\.env_inherit\[0\]: /],
  ])("is refused where it cannot work: %s", (lines, fault) => {
    const found = faultsWith(lines);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(fault);
  });

  it.each([
    [
      "module: ./agent.mjs",
      /^3:5: slots\.a\.module: a module runs in the hall's own Node, which is not where launch leads; install hall there/,
    ],
    ["demo: true", /^3:5: slots\.a\.demo: the demo agent is a program of this hall/],
    [
      "command: [./agent.sh]",
      /^3:15: slots\.a\.command\[0\]: "\.\/agent\.sh" is a path from a folder of this machine/,
    ],
  ])("leads to no program of this machine: %s", (run, fault) => {
    const found = faults(`slots:\n  a:\n    ${run}\n    launch: [ssh, host]\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(fault);
    expect(faults(`slots:\n  a:\n    ${run}\n    launch: [nice]\n`)).toEqual([]);
  });

  it.each([
    [
      "launch: [sudo, docker, exec, -i, box]",
      "launch: the name of its program does not tell that it leads elsewhere, as docker does; write launch_kind: ssh or container, or launch_kind: here if it does not",
    ],
    [
      "launch: [kubectl, run, -i, --rm, pod]",
      "launch: a pod of kubectl run is started again when its agent ends; write --restart=Never",
    ],
    [
      `launch: [ssh, host, '\${KEY}']`,
      /^launch\[2\]: .* puts a variable on a command line, which every user/,
    ],
  ])("is warned of where it works otherwise than it looks: %s", (lines, warning) => {
    const { warnings } = read(slotWith(lines), { KEY: "value" });
    expect(warnings).toHaveLength(1);
    expect(warnings.map(({ path, message }) => `${path.replace("slots.a.", "")}: ${message}`)[0]).toMatch(
      warning,
    );
  });
});

describe("cwd_map", () => {
  it("is a list of folders with two names each", () => {
    const cwdMap = [{ client: "/Users/ann/work", agent: "/work" }];
    expect(slot("cwd_map: [{ client: /Users/ann/work, agent: /work }]").cwdMap).toEqual(cwdMap);
    expect(slot("cwd_map:").cwdMap).toEqual([]);
  });

  it("is refused with a path that does not begin at the root, or without one", () => {
    expect(faultsWith("cwd_map: [{ client: work, agent: /work }]")).toEqual([
      '4:25: slots.a.cwd_map[0].client: "work" does not begin at the root; write an absolute path, such as /work',
    ]);
    expect(faultsWith("cwd_map: [{ client: /a }]")).toEqual([expect.stringContaining("slots.a.cwd_map[0]")]);
    expect(faultsWith("cwd_map: { client: /a, agent: /b }")).toEqual([
      expect.stringContaining("write a list, such as [{ client: /home/ann/work, agent: /work }]"),
    ]);
  });
});
