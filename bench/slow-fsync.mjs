#!/usr/bin/env node
// How much a slow disk costs: the same load at 200 at once with fsync slowed by 0, 2 and 10 ms, on each store. Prints a
// Markdown table; raw results go to bench/.results/.
//
//   node bench/slow-fsync.mjs [--systems downbeat-sqlite,downbeat-postgres] [--delays 0,2,10] [--rounds 3] [--scale 1]
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./arguments.mjs";
import { runProgram, warmUp } from "./scenarios/index.mjs";
import { slowFsync } from "./slow-fsync/shim.mjs";
import { median } from "./statistics.mjs";
import { chooseSystems } from "./systems/index.mjs";
import { freshFolder, removeFolder, resultsRoot } from "./systems/process.mjs";

const settings = readArguments({
  systems: "downbeat-sqlite,downbeat-postgres",
  delays: "0,2,10",
  rounds: 3,
  scale: 1,
});
const concurrency = 200;
const delays = settings.delays.split(",").map(Number);
const paceCounts = { fast: 10_000, slow: 400 };

const loads = {
  simple3: async ({ base, pid, databasePid }, n) => {
    const options = { scenario: "simple3", base, pid, "database-pid": databasePid, n, c: concurrency, timeout: 900 };
    const { ok, workflowsPerSecond, latencyMs } = await runProgram("load.mjs", options);
    return { ok, rate: workflowsPerSecond, p50: latencyMs?.updateCall?.p50, p99: latencyMs?.updateCall?.p99 };
  },
  "durable-steps": async ({ base, stepsUrl, pid, workerPid, databasePid }, n) => {
    const pids = { pid, "worker-pid": workerPid, "database-pid": databasePid };
    const options = { base, url: stepsUrl, ...pids, n, c: concurrency, timeout: 900 };
    const { ok, workflowsPerSecond, latencyMs } = await runProgram("scenarios/durable-steps.mjs", options);
    return { ok, rate: workflowsPerSecond, p50: latencyMs?.p50, p99: latencyMs?.p99 };
  },
};

const environments = buildEnvironments();
if (environments !== undefined) await runAll();

function buildEnvironments() {
  try {
    return new Map(delays.map((delayMs) => [delayMs, slowFsync(delayMs)]));
  } catch (error) {
    process.stdout.write(`Skipped: ${error.message}\n`);
    return undefined;
  }
}

async function runAll() {
  const systems = chooseSystems(settings.systems);
  for (const system of systems) await system.prepare();
  const runs = [];
  for (let round = 1; round <= settings.rounds; round++)
    for (const system of systems) for (const delayMs of delays) runs.push(...(await runOnce({ system, delayMs })));
  mkdirSync(resultsRoot, { recursive: true });
  const file = join(resultsRoot, `slow-fsync-${new Date().toISOString().replaceAll(":", "-")}.json`);
  writeFileSync(file, JSON.stringify(runs, null, 1));
  process.stdout.write(`${renderTable(runs, systems).join("\n")}\n`);
}

async function runOnce({ system, delayMs }) {
  const folder = freshFolder(system.name);
  const instance = await system.start({ folder, env: environments.get(delayMs) });
  const n = Math.max(20, Math.round(paceCounts[system.pace] * settings.scale));
  const runs = [];
  try {
    await warmUp(instance, { pace: system.pace, scale: settings.scale });
    for (const [load, run] of Object.entries(loads)) {
      if (system.speaks !== "interface" && load === "simple3") continue;
      runs.push({ system: system.name, delayMs, load, ...(await run(instance, n)) });
      process.stderr.write(`${JSON.stringify(runs.at(-1))}\n`);
    }
  } finally {
    await instance.stop();
    removeFolder(folder);
  }
  return runs;
}

function renderTable(runs, systems) {
  const lines = [
    "| System | Load | fsync slower by | Rate per second | To the first | p50 ms | p99 ms |",
    "|---|---|---:|---:|---:|---:|---:|",
  ];
  for (const system of systems) {
    for (const load of Object.keys(loads)) {
      const figure = (delayMs, name) => {
        const same = (run) => run.system === system.name && run.load === load && run.delayMs === delayMs && run.ok;
        return median(runs.filter(same).map((run) => run[name]));
      };
      for (const delayMs of delays) {
        const rate = figure(delayMs, "rate");
        if (rate === undefined) continue;
        const first = figure(delays[0], "rate");
        const share = first === undefined ? "" : (rate / first).toFixed(2);
        const cells = [system.title, load, `${delayMs} ms`, Math.round(rate), share];
        lines.push(`| ${[...cells, figure(delayMs, "p50"), figure(delayMs, "p99")].join(" | ")} |`);
      }
    }
  }
  return lines;
}
