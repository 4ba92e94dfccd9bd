#!/usr/bin/env node
import { readFileSync } from "node:fs";
// What schedules cost: CPU while many of them wait, and how late they fire when many are due at once. Built-in modules
// only, loopback only. Leaves its schedules deleted.
//
//   node schedules.mjs --base http://127.0.0.1:8080/api --pid <pid of the server> [--waiting 10000] [--firing 500] [--seconds 20]
//
// Prints one JSON object. "running" and "kept waiting" are the server's main thread: on a machine that others use too,
// slots are late by what it was kept waiting for a core.
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "http://127.0.0.1:8080/api" },
    pid: { type: "string" },
    waiting: { type: "string", default: "10000" },
    firing: { type: "string", default: "500" },
    seconds: { type: "string", default: "20" },
  },
});
const { base, pid } = values;
if (pid === undefined) throw new Error("Expected --pid, the process id of the server");
if (!["127.0.0.1", "localhost", "[::1]"].includes(new URL(base).hostname)) throw new Error("loopback only");
const seconds = Number(values.seconds);
const workflow = "bench_scheduled";

const send = async (method, path, body) => {
  const answer = await fetch(base + path, {
    method,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text;
};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds of CPU of all threads so far; of the main thread those it ran and those it waited for a core. */
function usage() {
  const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const ticks = after.split(" ").slice(11, 13).map(Number);
  const [running, waiting] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ").map(Number);
  return { all: (ticks[0] + ticks[1]) * 10, running: running / 1e6, waiting: waiting / 1e6 };
}

async function during(ms) {
  const before = usage();
  await sleep(ms);
  const after = usage();
  const spent = (what) => Math.round(after[what] - before[what]);
  return { cpuMs: spent("all"), runningMs: spent("running"), keptWaitingMs: spent("waiting") };
}

async function forEach(prefix, count, act) {
  for (let at = 0; at < count; at += 50) {
    const names = Array.from({ length: Math.min(50, count - at) }, (_, n) => `${prefix} ${at + n}`);
    await Promise.all(names.map(act));
  }
}

const save = (cronExpression) => (name) =>
  send("POST", "/scheduler/schedules", { name, cronExpression, startWorkflowRequest: { name: workflow } });
const remove = (name) => send("DELETE", `/scheduler/schedules/${encodeURIComponent(name)}`);

const tasks = [{ name: "n", taskReferenceName: "n", type: "NOOP" }];
await send("PUT", "/metadata/workflow", [{ name: workflow, version: 1, schemaVersion: 2, tasks }]);
await forEach("bench waiting", Number(values.waiting), save("0 0 0 1 1 *"));
await sleep(5000);
const idle = await during(seconds * 1000);
await forEach("bench firing", Number(values.firing), save("* * * * * *"));
await sleep(3000);
const from = Date.now();
const firing = await during(seconds * 1000);
const to = Date.now();
await forEach("bench firing", Number(values.firing), remove);
await forEach("bench waiting", Number(values.waiting), remove);

const lags = [];
for (let start = 0; ; start += 5000) {
  const query = encodeURIComponent(`workflowName=${workflow} AND scheduledTime>${from} AND scheduledTime<${to}`);
  const page = `/scheduler/search/executions?query=${query}&start=${start}&size=5000&sort=scheduledTime:ASC`;
  const { results } = JSON.parse(await send("GET", page));
  for (const { executionTime, scheduledTime } of results) lags.push(executionTime - scheduledTime);
  if (results.length < 5000) break;
}
lags.sort((a, b) => a - b);
const lag = (share) => lags[Math.min(lags.length - 1, Math.floor(lags.length * share))];
const summary = { runs: lags.length, lagMs: { p50: lag(0.5), p99: lag(0.99), max: lag(1) } };
console.log(JSON.stringify({ seconds, waiting: Number(values.waiting), idle, firing: { ...firing, ...summary } }));
