// node sum.mjs FOLDER STEP…: adds up vitest's JSON reports in FOLDER. Each STEP has failed: one in whose report no
// test failed (it has none, or a file could not even be loaded) is a failure of its own.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, ...crashed] = process.argv.slice(2);
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
const reports = names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
const sum = (count) => reports.reduce((total, report) => total + count(report), 0);

const isWithoutATest = ({ status, assertionResults }) =>
  status === "failed" && !assertionResults.some((test) => test.status === "failed");

const passed = sum((report) => report.numPassedTests);
const failedTests = sum((report) => report.numFailedTests + report.testResults.filter(isWithoutATest).length);
const failedRuns = reports.filter((report) => report.numFailedTests > 0 || !report.success).length;
const failed = failedTests + Math.max(0, crashed.length - failedRuns);

for (const step of crashed) console.log(`failed: ${step}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || crashed.length > 0 ? 1 : 0;
