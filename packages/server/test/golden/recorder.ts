// Records the exchanges of the groups from a server:
//   node recorder.ts <base URL ending in /api> <folder> [--groups a,b] [--patient]
// The groups run side by side, each under a name prefix of its own, and each becomes a file of the folder.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { groups } from "./groups/index.ts";
import { Session } from "./recorder/session.ts";
import { startUpstream } from "./recorder/upstream.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { groups: { type: "string" }, patient: { type: "boolean", default: false } },
});
const [base, folder] = positionals;
if (base === undefined || folder === undefined) throw new Error("Expected a base URL and a folder");
if (!["127.0.0.1", "localhost", "[::1]"].includes(new URL(base).hostname)) {
  throw new Error(`Expected a server on this machine, got ${base}`);
}

/** Its handlers show in what another group lists. */
const alone = "event-handlers";

mkdirSync(folder, { recursive: true });
const upstream = await startUpstream();
const wanted = values.groups?.split(",") ?? Object.keys(groups);
await Promise.all(wanted.filter((group) => group !== alone).map(recordGroup));
if (wanted.includes(alone)) await recordGroup(alone);
upstream.close();

async function recordGroup(group: string): Promise<void> {
  const record = groups[group];
  if (record === undefined) throw new Error(`Expected groups out of ${Object.keys(groups).join(", ")}, got ${group}`);
  const session = new Session({ base: String(base), upstream: upstream.address, isPatient: values.patient });
  const startedAt = performance.now();
  try {
    await record(session);
  } catch (error) {
    // What was recorded until then is still worth comparing; the records that are missing tell the rest.
    process.stderr.write(`${group} stopped: ${error instanceof Error ? error.stack : error}\n`);
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${group}: ${session.records.length} records in ${seconds} s\n`);
  const lines = session.records.map((one) => JSON.stringify(one));
  writeFileSync(join(String(folder), `${group}.json`), `[\n${lines.join(",\n")}\n]\n`);
}
