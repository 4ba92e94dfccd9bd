import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aFolder, removeFolder, startServer } from "../support/server.ts";
import { compare, type Exception, type GoldenRecord, isCovered, show } from "./diff.ts";
import { groups } from "./groups/index.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const recorder = fileURLToPath(new URL("./recorder.ts", import.meta.url));
const recorded = readGroups(join(here, "recorded"));
const exceptions = readJson<Exception[]>(join(here, "exceptions.json"));

/** As the server was set up that was recorded. */
const settings = {
  "service.workflow-message-queue.enabled": "true",
  "service.file-storage.enabled": "true",
  "service.integrations.ai.enabled": "true",
};
/** A provider that nobody can reach: calls of it are tried again for a while. */
const unreachable = {
  "service.ai.mistral.api-key": "nobody",
  "service.ai.mistral.base-url": "http://127.0.0.1:9",
};

let ours: ReadonlyMap<string, readonly GoldenRecord[]>;
let complaints = "";
const errors: string[] = [];
const folder = aFolder();

beforeAll(async () => {
  // Runs of agents stay open there; a task by itself has no provider.
  await recordWith({ ...settings, ...unreachable }, ["agent"]);
  await recordWith(
    settings,
    Object.keys(groups).filter((group) => group !== "agent"),
  );
  ours = readGroups(folder);
}, 90_000);
afterAll(() => removeFolder(folder));

describe.each([...recorded])("%s", (group, records) => {
  test.each(records.map(({ name }, index) => ({ name, index })))("$name", ({ name, index }) => {
    const own = ours.get(group)?.find((one) => one.name === name);
    const allowed = exceptions.filter((one) => one.group === group && one.name === name);
    const open = compare(records[index] as GoldenRecord, own).filter(
      (difference) => !allowed.some((exception) => isCovered(difference, exception)),
    );
    expect(open.map((difference) => show(group, name, difference))).toEqual([]);
  });
});

test("every group is recorded to its end", () => {
  expect(complaints).toBe("");
  const names = (from: typeof ours) =>
    [...from].map(([group, records]) => [group, records.map(({ name }) => name).sort()]);
  expect(names(ours)).toEqual(names(recorded));
});

test("the server had no error of its own", () => expect(errors).toEqual([]));

test("every exception covers a difference", () => {
  const idle = exceptions.filter(({ group, name, ...exception }) => {
    const gold = recorded.get(group)?.find((one) => one.name === name);
    const own = ours.get(group)?.find((one) => one.name === name);
    return (
      gold === undefined ||
      !compare(gold, own).some((difference) => isCovered(difference, { group, name, ...exception }))
    );
  });
  expect(idle).toEqual([]);
});

async function recordWith(own: Readonly<Record<string, string>>, names: readonly string[]): Promise<void> {
  const server = await startServer({ settings: own });
  try {
    complaints += await record(server.client.base, names);
  } finally {
    await server.close();
  }
  errors.push(...server.errors);
}

/** Gives what the recorder complains of. */
async function record(base: string, names: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [recorder, base, folder, "--groups", names.join(",")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`Expected the recorder to end well, got exit code ${code}: ${said}`);
  return said;
}

function readGroups(from: string): Map<string, readonly GoldenRecord[]> {
  return new Map(Object.keys(groups).map((group) => [group, readJson<GoldenRecord[]>(join(from, `${group}.json`))]));
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
