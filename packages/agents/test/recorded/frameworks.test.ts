import type { JsonObject } from "@downbeat/engine";
import { describe, expect, test } from "vitest";
import { normaliseFramework } from "../../src/index.ts";
import { compare, hasFixtures, judge, listFixtures, readFixture } from "./compare.ts";
import { deviations } from "./deviations.ts";

describe.skipIf(!hasFixtures)("framework agents become the recorded AgentConfig", () => {
  test.each(hasFixtures ? listFixtures("frameworks") : [])("%s", (name) => {
    const { framework, rawConfig, agentConfig } = readFixture(`frameworks/${name}`);
    const ours = normaliseFramework(framework as string, rawConfig as JsonObject);
    expect(judge(`frameworks/${name}`, compare(agentConfig, ours), deviations)).toEqual([]);
  });
});
