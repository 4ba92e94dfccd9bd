#!/usr/bin/env node
// Workflows of three durable steps, started and waited for by so many callers at once; prints one JSON object.
//
//   node durable-steps.mjs --base http://127.0.0.1:8080/api --pid PID [--c 64] [--n 2000]
//   node durable-steps.mjs --url http://127.0.0.1:9000/steps --pid PID [--worker-pid PID] [--c 64] [--n 2000]
//
// With --base the server speaks the workflow interface: the three steps are worker tasks, served by one more process
// (steps-worker.mjs), and each caller waits in a synchronous execute. With --url a POST of {i, pad} runs the three
// steps and answers {i, hops}. The run fails when an answer is wrong or missing or a task is handed out twice.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loopback, pidsOf, readArguments } from "../arguments.mjs";
import { createClient } from "../client.mjs";
import { startMeter } from "../meter.mjs";
import { growthOf, quantiles } from "../statistics.mjs";

const settings = readArguments({
  base: undefined,
  url: undefined,
  c: 64,
  n: 2000,
  payload: 200,
  pid: "",
  "worker-pid": "",
  "database-pid": "",
  timeout: 600,
});
const { c, n } = settings;
const pad = "x".repeat(Math.max(0, settings.payload - 40));
const target = loopback(settings.base ?? settings.url);
const client = createClient({ host: target.hostname, port: Number(target.port) });
const deadline = performance.now() + settings.timeout * 1000;
const run = `steps_${process.pid}_${Date.now().toString(36)}`;

const result = settings.base === undefined ? await runPeer() : await runInterface();
process.stdout.write(`${JSON.stringify({ scenario: "durable-steps", ...result, node: process.version }, null, 1)}\n`);
process.exit(result.ok ? 0 : 1);

async function runPeer() {
  const answer = async (i) => {
    const { status, text } = await client.request("POST", target.pathname, JSON.stringify({ i, pad }));
    if (status >= 300) throw new Error(`${status} ${text.slice(0, 200)}`);
    const { i: same, hops } = JSON.parse(text);
    return same === i && hops === 3;
  };
  return measure({ answer, workerPids: pidsOf(settings["worker-pid"]) });
}

async function runInterface() {
  await register();
  const worker = fork(join(import.meta.dirname, "steps-worker.mjs"), [
    "--base",
    settings.base,
    "--types",
    ["t1", "t2", "t3"].map(typeOf).join(","),
  ]);
  const ended = once(worker, "exit").then(() => [{ duplicates: null, tasks: "the worker ended" }]);
  await once(worker, "message");
  // An answer may come before the execution has ended: it is asked for when the clock has stopped.
  const open = new Map();
  const answer = async (i) => {
    const path = `/workflow/execute/${run}/1?waitUntilTaskRef=s3&waitForSeconds=60&requestId=${run}-${i}`;
    const execution = await call("POST", path, { name: run, version: 1, input: { i, pad } });
    if (isRight(execution, i)) return true;
    open.set(execution.workflowId, i);
    return execution.workflowId !== undefined;
  };
  const measured = await measure({ answer, workerPids: [worker.pid] });
  const late = open.size;
  const wrong = await settle(open);
  if (worker.connected) worker.send("stop");
  const [{ duplicates, tasks }] = await Promise.race([once(worker, "message"), ended]);
  if (worker.connected) worker.disconnect();
  const ok = measured.ok && wrong === 0 && duplicates === 0 && tasks === 3 * n;
  return { ...measured, ok, answeredBeforeTheEnd: late, wrong, duplicates, tasks };
}

/** Runs n workflows, c at a time; `answer` tells whether the i-th gave what it should. */
async function measure({ answer, workerPids }) {
  const meters = [settings.pid, settings["database-pid"]].map((pids) => startMeter(pidsOf(pids)));
  const workerMeter = startMeter(workerPids);
  const ownBefore = process.cpuUsage();
  const latencies = [];
  const failures = [];
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: Math.min(c, n) }, async () => {
      while (next < n && performance.now() < deadline) {
        const i = next++;
        const sentAt = performance.now();
        const isGood = await answer(i).catch((error) => {
          if (failures.length < 3) failures.push(error.message);
          return false;
        });
        if (isGood) latencies.push(performance.now() - sentAt);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const own = process.cpuUsage(ownBefore);
  const [server, database] = meters.map((end) => end());
  const worker = workerMeter();
  const perWorkflow = (cpuSeconds) =>
    cpuSeconds === undefined ? undefined : Math.round((1e5 * cpuSeconds) / Math.max(1, latencies.length)) / 100;
  return {
    ok: latencies.length === n,
    concurrency: c,
    started: next,
    answered: latencies.length,
    failures,
    seconds: Math.round(seconds * 100) / 100,
    workflowsPerSecond: Math.round((latencies.length / seconds) * 10) / 10,
    latencyMs: quantiles(latencies),
    growth: growthOf(latencies),
    cpuMsPerWorkflow: {
      server: perWorkflow(server?.cpuSeconds),
      database: perWorkflow(database?.cpuSeconds),
      worker: perWorkflow(worker?.cpuSeconds),
      client: perWorkflow((own.user + own.system) / 1e6),
    },
    serverRssMiBMax: server && Math.round(server.peakMib),
  };
}

function isRight(execution, i) {
  return execution.status === "COMPLETED" && execution.output?.i === i && execution.output?.hops === 3;
}

/** Waits until the executions have ended; returns how many did not end as they should. */
async function settle(open) {
  const end = performance.now() + 300_000;
  let wrong = 0;
  while (open.size > 0 && performance.now() < end) {
    for (const [id, i] of open) {
      const execution = await call("GET", `/workflow/${id}?includeTasks=false`);
      if (execution.status === "RUNNING") continue;
      open.delete(id);
      if (!isRight(execution, i)) wrong += 1;
    }
    if (open.size > 0) await sleep(200);
  }
  return wrong + open.size;
}

async function register() {
  const ownerEmail = "bench@example.com";
  const refs = ["s1", "s2", "s3"];
  await call(
    "POST",
    "/metadata/taskdefs",
    refs.map((ref) => ({
      name: typeOf(ref.replace("s", "t")),
      ownerEmail,
      retryCount: 0,
      timeoutSeconds: 0,
      responseTimeoutSeconds: 3600,
    })),
  );
  await call("POST", "/metadata/workflow", {
    name: run,
    version: 1,
    schemaVersion: 2,
    ownerEmail,
    timeoutSeconds: 0,
    timeoutPolicy: "ALERT_ONLY",
    tasks: refs.map((ref, at) => ({
      name: typeOf(ref.replace("s", "t")),
      taskReferenceName: ref,
      type: "SIMPLE",
      inputParameters: {
        i: "${workflow.input.i}",
        hops: at === 0 ? 0 : `\${${refs[at - 1]}.output.hops}`,
        pad: "${workflow.input.pad}",
      },
    })),
    outputParameters: { i: "${s3.output.i}", hops: "${s3.output.hops}" },
  });
}

function typeOf(name) {
  return `${run}_${name}`;
}

async function call(method, path, body) {
  const root = target.pathname.replace(/\/$/, "");
  const { status, text } = await client.request(method, root + path, body && JSON.stringify(body));
  if (status >= 300) throw new Error(`${method} ${path.split("?")[0]}: ${status} ${text.slice(0, 200)}`);
  return text === "" ? {} : JSON.parse(text);
}
