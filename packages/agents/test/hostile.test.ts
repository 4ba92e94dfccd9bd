import { DefinitionFormatError, isJsonObject, validateWorkflowDef } from "@downbeat/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileAgent, InvalidAgent, readAgentConfig } from "../src/index.ts";
import { hasFixtures, namesIn, readFixture } from "./support/fixtures.ts";

type Path = readonly (string | number)[];

const configs = namesIn("configs/extra").map((name) => readFixture(`configs/extra/${name}`));

/** Values nobody expects where they are put. */
const oddValues = [
  null,
  0,
  -1,
  1e30,
  true,
  "",
  " ",
  "${workflow.secrets.X}",
  "__proto__",
  "constructor",
  "a/b",
  "'; DROP --",
  "ü\u0000",
  [],
  {},
  [null],
  { a: { b: [] } },
  [{ name: "x" }],
];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item, index) => pathsOf(item, [...path, index]))];
  if (!isJsonObject(value)) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))];
}

function withValue(value: unknown, [key, ...rest]: Path, odd: unknown): unknown {
  if (key === undefined) return odd;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? withValue(item, rest, odd) : item));
  return { ...(value as object), [key]: withValue((value as Record<string, unknown>)[key], rest, odd) };
}

describe.runIf(hasFixtures)("an agent that has been tampered with", () => {
  test("compiles to a valid definition or is refused with a reason, and never breaks anything", () => {
    const mutation = fc.record({
      config: fc.integer({ min: 0, max: configs.length - 1 }),
      at: fc.nat(),
      odd: fc.constantFrom(...oddValues),
      second: fc.option(fc.record({ at: fc.nat(), odd: fc.constantFrom(...oddValues) })),
    });
    fc.assert(
      fc.property(mutation, ({ config, at, odd, second }) => {
        let json = configs[config];
        for (const change of [{ at, odd }, ...(second === null ? [] : [second])]) {
          const paths = pathsOf(json);
          json = withValue(json, paths[change.at % paths.length] ?? [], change.odd);
        }
        try {
          const { workflowDef } = compileAgent(readAgentConfig(json));
          expect(validateWorkflowDef(workflowDef, { prefix: "", strict: true })).toEqual([]);
        } catch (error) {
          if (error instanceof InvalidAgent || error instanceof DefinitionFormatError) {
            expect(error.message).not.toBe("");
          } else {
            throw error;
          }
        }
      }),
      { numRuns: 1500 },
    );
  });
});
