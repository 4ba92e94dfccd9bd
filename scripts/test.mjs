// Runs every check in order, shows what each says, and ends with one line: `N passed, N failed[, N skipped]`.
// The numbers are tests; a check that fails counts as one failure. Arguments other than --only go to vitest.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), "downbeat-test-"));
const reportFile = join(scratch, "vitest.json");
const { only, rest } = parseArguments(process.argv.slice(2));

/** Each check is a JavaScript file run by this very Node, so that no other Node on the machine gets in. */
const checks = [
  { name: "types", args: ["node_modules/typescript/bin/tsc", "--project", "tsconfig.json"] },
  { name: "ui-types", args: ["node_modules/typescript/bin/tsc", "--project", "packages/ui/tsconfig.json"] },
  { name: "lint", args: ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings"] },
  { name: "arrows", args: ["scripts/check-arrows.mjs"] },
  { name: "dead-code", args: ["node_modules/knip/bin/knip.js", "--no-progress", "--no-config-hints"] },
  {
    name: "tests",
    args: [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${reportFile}`,
      // On a busy machine, a test may run into its time limit. CI asks it once more, and says so at the end.
      ...(process.env.CI ? ["--retry=1"] : []),
      ...rest,
    ],
  },
];

/** @type {import("node:child_process").ChildProcess | undefined} */
let running;
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.on(signal, () => {
    running?.kill(signal);
    rmSync(scratch, { recursive: true, force: true });
    process.exit(signal === "SIGINT" ? 130 : 143);
  });
}

const unknown = only.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  const known = checks.map((check) => check.name).join(", ");
  process.stderr.write(`Expected --only to name some of ${known}, got ${unknown.join(", ")}\n`);
  process.exit(2);
}

const total = { passed: 0, failed: 0, skipped: 0 };
/** What stands above the last line, where a log cut short still shows it. */
const remarks = /** @type {string[]} */ ([]);
for (const check of checks) {
  if (only.length > 0 && !only.includes(check.name)) {
    continue;
  }
  process.stdout.write(`\n== ${check.name}\n`);
  const startedAt = performance.now();
  const code = await run(check.args);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`== ${check.name} ${code === 0 ? "ok" : "FAILED"} (${seconds} s)\n`);
  if (check.name === "tests") {
    addTestCounts(code);
  } else if (code !== 0) {
    total.failed += 1;
    remarks.push(`FAILED: ${check.name}`);
  }
}
rmSync(scratch, { recursive: true, force: true });

const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
for (const remark of remarks) {
  process.stdout.write(`\n${remark}`);
}
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed${skipped}\n`);
process.exitCode = total.failed > 0 ? 1 : 0;

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit code; 1 when it ended by a signal or could not start
 */
function run(args) {
  return new Promise((resolve) => {
    running = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    running.on("error", (error) => {
      process.stderr.write(`${error.message}\n`);
      resolve(1);
    });
    running.on("close", (code) => resolve(code ?? 1));
  });
}

/** @param {number} code */
function addTestCounts(code) {
  const failedBefore = total.failed;
  if (existsSync(reportFile)) {
    const report = JSON.parse(readFileSync(reportFile, "utf8"));
    total.passed += report.numPassedTests;
    total.failed += report.numFailedTests;
    total.skipped += report.numPendingTests + report.numTodoTests;
    for (const file of report.testResults) {
      // A test file that does not load has no tests to count.
      if (file.status === "failed" && file.assertionResults.length === 0) {
        total.failed += 1;
        remarks.push(`FAILED: ${file.name}: ${firstLine(file.message)}`);
      }
      for (const { fullName, status, failureMessages } of file.assertionResults) {
        if (failureMessages.length > 0) {
          const what = status === "failed" ? "FAILED" : "Passed only when asked again";
          remarks.push(`${what}: ${file.name}: ${fullName}: ${firstLine(failureMessages[0])}`);
        }
      }
    }
  }
  if (code !== 0 && total.failed === failedBefore) {
    total.failed += 1;
  }
}

/** @param {string} message */
function firstLine(message) {
  return message.trim().split("\n", 1)[0];
}

/** @param {string[]} args */
function parseArguments(args) {
  const at = args.indexOf("--only");
  if (at === -1) {
    return { only: [], rest: args };
  }
  return { only: (args[at + 1] ?? "").split(","), rest: args.toSpliced(at, 2) };
}
