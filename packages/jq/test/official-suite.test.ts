import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile, JqSyntaxError } from "../src/index.ts";
import { readSuite, type SuiteCase } from "./suite-file.ts";

/** jq's own test data, kept beside the repository. */
const folder = new URL("../../../../shared/fixtures/jq/", import.meta.url);
const isThere = existsSync(folder);

/** Programs this implementation does not run, each with the reason. */
const excluded: ReadonlyMap<string, string> = new Map([
  ["$ENV.PAGER", "programs see no environment: $ENV is an empty object"],
  ["env.PAGER", "programs see no environment: env is an empty object"],
]);

if (!isThere) console.warn(`jq's own test data is not at ${folder.pathname}: the official suite is skipped`);

describe.runIf(isThere)("jq's own test suite", () => {
  for (const file of isThere ? readdirSync(folder).filter((name) => name.endsWith(".test")) : []) {
    describe(file, () => {
      const cases = readSuite(readFileSync(new URL(file, folder), "utf8"));
      for (const example of cases.filter(({ program }) => !excluded.has(program))) {
        test(`line ${example.line}: ${example.program}`, () => check(example));
      }
    });
  }

  test("every exclusion still names a program of the suite", () => {
    const files = readdirSync(folder).filter((name) => name.endsWith(".test"));
    const programs = new Set(
      files.flatMap((file) => readSuite(readFileSync(new URL(file, folder), "utf8")).map(({ program }) => program)),
    );
    expect([...excluded.keys()].filter((program) => !programs.has(program))).toEqual([]);
  });
});

function check(example: SuiteCase): void {
  if (example.mustFailToCompile) {
    expect(() => compile(example.program)).toThrow(JqSyntaxError);
    return;
  }
  const outputs = compile(example.program).run(JSON.parse(example.input), { now: () => 1_700_000_000 });
  expect(outputs).toEqual(example.outputs.map((output) => JSON.parse(output)));
}
