import { execFile } from "node:child_process";
import { join } from "node:path";
import { benchRoot } from "../systems/process.mjs";

/**
 * Each scenario says how to run it and which figures its result holds. Counts are by pace: a slow system gets fewer, so
 * that a run ends; figures are per unit of work, and growth and memory favour the system that had less to do. `speaks`
 * is what a system must speak. The order matters: those that leave executions behind come last.
 */
export const scenarios = [
  viaLoad("simple3", {
    unit: "execution",
    counts: { fast: { n: 10_000 }, slow: { n: 500 } },
    rate: (result) => result.workflowsPerSecond,
    units: (result) => result.completed,
    latency: (result) => result.latencyMs.updateCall,
    growth: (result) => result.growth,
  }),
  durableSteps(16, { fast: 3000, slow: 150 }),
  durableSteps(64, { fast: 6000, slow: 300 }),
  durableSteps(200, { fast: 10_000, slow: 400 }),
  viaLoad("system", {
    unit: "execution",
    counts: { fast: { n: 5000 }, slow: { n: 200 } },
    rate: (result) => result.workflowsPerSecond,
    units: (result) => result.completed,
    // A server may do the work within the start call or after it.
    latency: ({ latencyMs: { start, workflowEndToEnd } }) => longer(start, workflowEndToEnd),
    growth: (result) => result.growth,
  }),
  viaLoad("loop", {
    unit: "iteration",
    counts: { fast: { tasks: 10_000 }, slow: { tasks: 1000 } },
    rate: (result) => result.iterations / result.seconds,
    units: (result) => result.iterations,
    latency: (result) => result.latencyMs.scheduleToPoll,
    growth: (result) => result.msPerIteration?.growth,
  }),
  viaLoad("fanout", {
    unit: "branch",
    counts: { fast: { tasks: 10_000 }, slow: { tasks: 1000 } },
    rate: (result) => result.tasksPerSecond,
    units: (result) => result.tasksCompleted,
    latency: (result) => result.latencyMs.updateCall,
  }),
  viaLoad("read", {
    unit: "read",
    about: "of an execution of 1,000 tasks",
    // Pages of tasks are read from the 500th on.
    isFixed: true,
    counts: { fast: { tasks: 1000 }, slow: { tasks: 1000 } },
    rate: (result) => 1000 / result.getWithTasks.mean,
    units: () => undefined,
    latency: (result) => result.getWithTasks,
  }),
  viaLoad("start-only", {
    unit: "start",
    counts: { fast: { n: 10_000 }, slow: { n: 1000 } },
    rate: (result) => result.startsPerSecond,
    units: (result) => result.started,
    latency: (result) => result.latencyMs.start,
    growth: (result) => result.growth,
  }),
  viaLoad("idle", {
    unit: "second",
    about: "in which nothing happens but so many executions are parked on WAIT",
    counts: { fast: { n: 100_000, "idle-seconds": 20 }, slow: { n: 2000, "idle-seconds": 20 } },
    rate: () => undefined,
    units: (result) => result.idle.seconds,
    latency: (result) => result.latencyMs.freshScheduleToPoll,
    usage: (result) => result.idle,
  }),
];

/** The scenarios of a comma list of names, all of them without one; `durable-steps` names the three of them. */
export function chooseScenarios(names) {
  if (names === undefined) return scenarios;
  const wanted = names.split(",");
  const isNamed = (name, scenario) => scenario.name === name || scenario.family === name;
  for (const name of wanted) {
    if (scenarios.some((scenario) => isNamed(name, scenario))) continue;
    const known = scenarios.map((scenario) => scenario.name).join(", ");
    throw new Error(`Expected --scenarios to name some of ${known}, got "${name}"`);
  }
  return scenarios.filter((scenario) => wanted.some((name) => isNamed(name, scenario)));
}

/** A scenario's counts for a system, made smaller or larger; seconds stay. */
export function scaleCounts({ scenario, system, scale }) {
  const counts = scenario.counts[system.pace];
  if (scenario.isFixed) return counts;
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [
      name,
      name === "idle-seconds" ? count : Math.max(20, Math.round(count * scale)),
    ]),
  );
}

/**
 * Runs that are not measured: code that has run is compiled code, on every system here. By pace, so that each has about
 * as long, ten to twenty seconds.
 */
export async function warmUp({ base, stepsUrl }, { pace, scale }) {
  const count = (n) => Math.max(20, Math.round(n * Math.min(1, scale)));
  const { simple3, system, steps } = warmUpCounts[pace];
  await runProgram("scenarios/durable-steps.mjs", { base, url: stepsUrl, n: count(steps), c: 16 });
  if (base === undefined) return;
  await runProgram("load.mjs", { base, scenario: "simple3", n: count(simple3) });
  await runProgram("load.mjs", { base, scenario: "system", n: count(system) });
}

const warmUpCounts = {
  fast: { simple3: 10_000, system: 3000, steps: 3000 },
  slow: { simple3: 300, system: 100, steps: 40 },
};

/** A scenario of load.mjs. */
function viaLoad(name, scenario) {
  const { rate, units, latency, growth = () => undefined, usage = ({ meter }) => meter } = scenario;
  return {
    name,
    unit: scenario.unit,
    about: scenario.about,
    counts: scenario.counts,
    isFixed: scenario.isFixed ?? false,
    speaks: ["interface"],
    run: ({ base, pid, databasePid }, given) =>
      runProgram("load.mjs", {
        scenario: name,
        base,
        pid,
        "database-pid": databasePid,
        timeout: 900,
        // The reference may leave executions RUNNING for minutes after their last task.
        "wait-seconds": 300,
        ...given,
      }),
    figuresOf(result) {
      const used = usage(result);
      return {
        rate: rate(result),
        ...perUnit(units(result), {
          serverCpuMs: used?.serverCpuSeconds,
          databaseCpuMs: used?.databaseCpuSeconds,
          clientCpuMs: used?.clientCpuSeconds,
        }),
        p50: latency(result)?.p50,
        p95: latency(result)?.p95,
        p99: latency(result)?.p99,
        growth: growth(result) ?? undefined,
        memoryMib: used?.serverRssMiBMax,
      };
    },
  };
}

function durableSteps(concurrency, { fast, slow }) {
  return {
    name: `durable-steps-${concurrency}`,
    family: "durable-steps",
    unit: "workflow",
    counts: { fast: { n: fast }, slow: { n: slow } },
    speaks: ["interface", "steps"],
    run: ({ base, stepsUrl, pid, workerPid, databasePid }, given) =>
      runProgram("scenarios/durable-steps.mjs", {
        base,
        url: stepsUrl,
        pid,
        "worker-pid": workerPid,
        "database-pid": databasePid,
        c: concurrency,
        timeout: 900,
        ...given,
      }),
    figuresOf: (result) => ({
      rate: result.workflowsPerSecond,
      serverCpuMs: result.cpuMsPerWorkflow.server,
      databaseCpuMs: result.cpuMsPerWorkflow.database,
      workerCpuMs: result.cpuMsPerWorkflow.worker,
      clientCpuMs: result.cpuMsPerWorkflow.client,
      p50: result.latencyMs?.p50,
      p95: result.latencyMs?.p95,
      p99: result.latencyMs?.p99,
      growth: result.growth ?? undefined,
      memoryMib: result.serverRssMiBMax,
    }),
  };
}

const longer = (a, b) => Object.fromEntries(["p50", "p95", "p99"].map((name) => [name, Math.max(a[name], b[name])]));

const perUnit = (units, seconds) =>
  Object.fromEntries(
    Object.entries(seconds).map(([name, used]) => [
      name,
      units === undefined || used === undefined || used === null ? undefined : (1000 * used) / Math.max(units, 1),
    ]),
  );

/** Runs a bench program in a process of its own and reads the JSON it prints; a failed run is an error that says why. */
export function runProgram(program, options) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const args = [join(benchRoot, program), ...given.flatMap(([name, value]) => [`--${name}`, String(value)])];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      let result;
      try {
        result = JSON.parse(stdout);
      } catch {
        reject(new Error(`${program} ended without a result: ${stderr.slice(-500) || error?.message}`));
        return;
      }
      resolve(result);
    });
  });
}
