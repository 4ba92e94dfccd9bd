#!/usr/bin/env node
// Runs every scenario on every system that is to be had, in turn, and writes bench/compare.md and bench/compare.svg.
//
//   npm run bench:compare -- [--systems a,b] [--scenarios a,b] [--rounds 3] [--scale 1]
//   npm run bench:compare -- --from bench/.results/compare-<time>.json      writes the report of an earlier run again
//
// --out names another file for the table; the chart lies beside it. Raw results go to bench/.results/.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { readArguments } from "./arguments.mjs";
import { renderChart } from "./chart.mjs";
import { describeMachine } from "./machine.mjs";
import { renderReport } from "./report.mjs";
import { chooseScenarios, scaleCounts, warmUp } from "./scenarios/index.mjs";
import { chooseSystems } from "./systems/index.mjs";
import { benchRoot, freshFolder, removeFolder, resultsRoot } from "./systems/process.mjs";

const settings = readArguments({
  systems: undefined,
  scenarios: undefined,
  rounds: 3,
  scale: 1,
  from: undefined,
  out: join(benchRoot, "compare.md"),
});

const results = settings.from === undefined ? await runAll() : JSON.parse(readFileSync(settings.from, "utf8"));
writeFileSync(settings.out, renderReport(results));
writeFileSync(settings.out.replace(/\.md$/, ".svg"), renderChart(results));
say(`wrote ${settings.out}`);

async function runAll() {
  const { present, absent } = await prepareSystems(chooseSystems(settings.systems));
  const scenarios = chooseScenarios(settings.scenarios);
  mkdirSync(resultsRoot, { recursive: true });
  const file = join(resultsRoot, `compare-${new Date().toISOString().replaceAll(":", "-")}.json`);
  const all = { machine: describeMachine(), rounds: settings.rounds, scale: settings.scale, absent, runs: [] };
  for (let round = 1; round <= settings.rounds; round++) {
    for (const system of present) {
      all.runs.push(...(await runRound({ system, scenarios, round })));
      // After each, so that a run that is broken off leaves what it had.
      writeFileSync(file, JSON.stringify(all, null, 1));
    }
  }
  return all;
}

async function prepareSystems(wanted) {
  const present = [];
  const absent = [];
  for (const system of wanted) {
    try {
      await system.prepare();
      present.push(system);
    } catch (error) {
      say(`${system.title} is left out: ${error.message}`);
      absent.push({ title: system.title, why: error.message.split("\n")[0] });
    }
  }
  return { present, absent };
}

/** One life of a system: every scenario it can run, after a short one that warms it up. */
async function runRound({ system, scenarios, round }) {
  const fitting = scenarios.filter((scenario) => scenario.speaks.includes(system.speaks));
  if (fitting.length === 0) return [];
  const folder = freshFolder(system.name);
  const runs = [];
  let instance;
  try {
    const startedAt = performance.now();
    instance = await system.start({ folder });
    const startSeconds = (performance.now() - startedAt) / 1000;
    say(`round ${round}, ${system.title}: started in ${startSeconds.toFixed(1)} s`);
    await warmUp(instance, { pace: system.pace, scale: settings.scale });
    for (const scenario of fitting) {
      const counts = scaleCounts({ scenario, system, scale: settings.scale });
      runs.push({
        round,
        system: system.name,
        scenario: scenario.name,
        counts,
        ...(await runOne(scenario, instance, counts)),
      });
      const { figures, problem } = runs.at(-1);
      say(`round ${round}, ${system.title}, ${scenario.name}: ${problem ?? JSON.stringify(figures)}`);
    }
  } catch (error) {
    say(`round ${round}, ${system.title}: ${error.message}`);
    runs.push({ round, system: system.name, scenario: "start", problem: error.message.split("\n")[0] });
  } finally {
    await instance?.stop();
    removeFolder(folder);
  }
  return runs;
}

async function runOne(scenario, instance, counts) {
  const load = loadavg()[0];
  try {
    const result = await scenario.run(instance, counts);
    if (result.ok) return { figures: scenario.figuresOf(result), load, result };
    return { problem: `the run failed: ${JSON.stringify(result).slice(0, 400)}`, load, result };
  } catch (error) {
    return { problem: error.message, load };
  }
}

function say(line) {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
