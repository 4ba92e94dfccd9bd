#!/usr/bin/env node
// What a big store does to a server: n executions that sleep, then n that have ended. Prints one JSON object.
//
//   node bench/million.mjs [--system downbeat-sqlite] [--n 1000000] [--parts parked,ended]
//   node bench/million.mjs --base http://127.0.0.1:8080/api --pid PID [--database-pid PID] ...
//
// With --system the bench starts the server, so it can also restart it and let retention clear what has ended. With
// --base it measures a server that runs already, and leaves those two out.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./arguments.mjs";
import { describeMachine } from "./machine.mjs";
import { measureEnded } from "./million/ended.mjs";
import { measureParked } from "./million/parked.mjs";
import { chooseSystems } from "./systems/index.mjs";
import { freshFolder, removeFolder, resultsRoot } from "./systems/process.mjs";

const settings = readArguments({
  system: "downbeat-sqlite",
  base: undefined,
  pid: undefined,
  "database-pid": undefined,
  n: 1_000_000,
  parts: "parked,ended",
  concurrency: 32,
  "idle-seconds": 30,
  probes: 500,
  searches: 30,
  "steady-per-second": 50,
  "quiet-seconds": 30,
  "clear-rate": 200,
  "clear-seconds": 180,
});

const measures = { parked: measureParked, ended: measureEnded };
const parts = settings.parts.split(",");
const unknown = parts.find((part) => measures[part] === undefined);
if (unknown !== undefined) throw new Error(`Expected --parts to name some of parked, ended, got "${unknown}"`);

const results = { machine: describeMachine(), system: settings.base ?? settings.system };
for (const part of parts) {
  results[part] =
    settings.base === undefined ? await onFreshServer(measures[part]) : await onGivenServer(measures[part]);
}
const printed = JSON.stringify(results, null, 1);
mkdirSync(resultsRoot, { recursive: true });
writeFileSync(join(resultsRoot, `million-${new Date().toISOString().replaceAll(":", "-")}.json`), printed);
process.stdout.write(`${printed}\n`);
process.exit(0);

async function onFreshServer(measure) {
  const [system] = chooseSystems(settings.system);
  await system.prepare();
  const folder = freshFolder(system.name);
  let instance = await system.start({ folder });
  const restart = async (old, extra = []) => {
    const stopFrom = performance.now();
    await old.stopServer();
    const startFrom = performance.now();
    instance = await system.start({ folder, settings: extra, database: old.database });
    const rounded = (ms) => Math.round(ms);
    return { next: instance, stopMs: rounded(startFrom - stopFrom), readyMs: rounded(performance.now() - startFrom) };
  };
  try {
    return await measure({ ...options(), instance, restart, hasRetention: system.hasRetention ?? false });
  } finally {
    await instance.stop();
    removeFolder(folder);
  }
}

function onGivenServer(measure) {
  const { base } = settings;
  const numberOf = (name) => (settings[name] === undefined ? undefined : Number(settings[name]));
  const instance = { base, pid: numberOf("pid"), databasePid: numberOf("database-pid") };
  if (instance.pid === undefined) throw new Error("Expected --pid, the process id of the server at --base");
  return measure({ ...options(), instance, restart: undefined });
}

function options() {
  return {
    n: settings.n,
    concurrency: settings.concurrency,
    idleSeconds: settings["idle-seconds"],
    probes: settings.probes,
    searches: settings.searches,
    clearing: {
      rate: settings["clear-rate"],
      perSecond: settings["steady-per-second"],
      quietSeconds: settings["quiet-seconds"],
      clearSeconds: settings["clear-seconds"],
    },
    say: (line) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`),
  };
}
