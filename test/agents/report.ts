import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Prints, when all is over, what went well with whom: a table of scenarios and agents, and remarks. */
export class Report implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const cases = modules.flatMap((module) => [...module.children.allTests()]);
    if (cases.length === 0) return;
    const table = new Map<string, Map<string, string>>();
    const remarks: string[] = [];
    for (const test of cases) {
      const row = table.get(test.name) ?? new Map<string, string>();
      table.set(test.name, row.set(columnOf(test), cellOf(test)));
      const remark = remarkOn(test);
      if (remark) remarks.push(`  ${columnOf(test)}: ${test.name}\n    ${remark}`);
    }
    const columns = [...new Set(cases.map(columnOf))];
    console.log(["", ...lines(table, columns), "", ...remarks, ""].join("\n"));
  }
}

const columnOf = (test: TestCase): string => (test.parent.type === "suite" ? test.parent.name : "");

function cellOf(test: TestCase): string {
  const { state } = test.result();
  const seconds = ((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1);
  return { passed: `ok ${seconds} s`, failed: "FAILED", skipped: "-", pending: "not run" }[state];
}

function remarkOn(test: TestCase): string | undefined {
  const result = test.result();
  if (result.state === "skipped") return result.note && `not played: ${result.note}`;
  if (result.state === "failed") return result.errors[0]?.message.split("\n")[0];
  return test.meta().remark;
}

function lines(table: Map<string, Map<string, string>>, columns: string[]): string[] {
  const nameWidth = Math.max(0, ...[...table.keys()].map((name) => name.length));
  const width = Math.max(9, ...columns.map((column) => column.length));
  const line = (name: string, cells: string[]): string =>
    [name.padEnd(nameWidth), ...cells.map((cell) => cell.padEnd(width))].join("  ").trimEnd();
  return [
    line("", columns),
    ...[...table].map(([name, row]) =>
      line(
        name,
        columns.map((column) => row.get(column) ?? ""),
      ),
    ),
  ];
}
