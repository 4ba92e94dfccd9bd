import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { inspectPlan } from "../../src/index.ts";
import { compare, hasFixtures, judge, listFixtures, readFixture } from "./compare.ts";
import { deviations } from "./deviations.ts";

describe.skipIf(!hasFixtures)("plans become the recorded definitions and errors", () => {
  test.each(hasFixtures ? listFixtures("plans") : [])("%s", (name) => {
    const agentConfig = readFixture("plans/_agentConfig") as JsonObject;
    const { plan, expected } = readFixture(`plans/${name}`) as { plan: JsonObject; expected: unknown };
    const ours = inspectPlan({ agentConfig, plan });
    expect(judge(`plans/${name}`, compare(expected, ours), deviations)).toEqual([]);
  });
});
