import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../../../shared/fixtures/agents/", import.meta.url));

/** The recorded agents and their shapes live beside the repository; without them there is nothing to compare with. */
export const hasFixtures = existsSync(folder);
if (!hasFixtures) process.stdout.write("skipped: the agent fixtures are not here, so shapes are not compared\n");

/** Names of the fixtures in a folder, without their ending. */
export const namesIn = (path: string): readonly string[] =>
  hasFixtures
    ? readdirSync(folder + path)
        .filter((file) => file.endsWith(".json"))
        .map((file) => file.slice(0, -".json".length))
        .sort()
    : [];

export const readFixture = (path: string): unknown => JSON.parse(readFileSync(`${folder}${path}.json`, "utf8"));
