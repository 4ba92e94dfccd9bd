#!/usr/bin/env node
// Every scenario with its requests spread over several servers that share one PostgreSQL: a start at one, a poll at the
// next, a result at a third. Prints a Markdown table, and fails when a scenario does.
//
//   node bench/nodes.mjs [--nodes 2,3] [--scale 1]
import { readArguments } from "./arguments.mjs";
import { runProgram } from "./scenarios/index.mjs";
import { downbeatOnPostgres } from "./systems/downbeat.mjs";
import { freshFolder, removeFolder } from "./systems/process.mjs";

const settings = readArguments({ nodes: "2,3", scale: 1 });
const scaled = (count) => Math.max(1, Math.round(count * settings.scale));

const scenarios = {
  simple3: { n: scaled(5000) },
  system: { n: scaled(2000) },
  "start-only": { n: scaled(5000) },
  loop: { tasks: scaled(1000) },
  fanout: { tasks: scaled(2000) },
  idle: { n: scaled(5000), "idle-seconds": 5 },
};

const rows = [];
for (const count of settings.nodes.split(",").map(Number)) rows.push(...(await runOn(count)));
const table = [["Servers", "Scenario", "Right", "Executions/s", "Update p50, p99 ms", "Server CPU s"], ...rows];
process.stdout.write(`${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`);
process.exit(rows.every(([, , isRight]) => isRight) ? 0 : 1);

async function runOn(count) {
  const folders = Array.from({ length: count }, (_, node) => freshFolder(`nodes-${count}-${node + 1}`));
  const first = await downbeatOnPostgres.start({ folder: folders[0] });
  const others = [];
  try {
    for (const folder of folders.slice(1))
      others.push(await downbeatOnPostgres.start({ folder, database: first.database }));
    const servers = [first, ...others];
    const base = servers.map((server) => server.base).join(",");
    const pid = servers.map((server) => server.pid).join(",");
    const measured = [];
    for (const [scenario, options] of Object.entries(scenarios)) {
      const result = await runProgram("load.mjs", { scenario, base, pid, ...options, timeout: 300 });
      const { ok, workflowsPerSecond = "", latencyMs, meter } = result;
      const update = latencyMs?.updateCall;
      measured.push([
        count,
        scenario,
        ok,
        workflowsPerSecond,
        update === undefined ? "" : `${update.p50}, ${update.p99}`,
        meter?.serverCpuSeconds ?? "",
      ]);
      process.stderr.write(`${measured.at(-1).join(" ")}\n`);
    }
    return measured;
  } finally {
    for (const server of others) await server.stopServer();
    await first.stop();
    for (const folder of folders) removeFolder(folder);
  }
}
