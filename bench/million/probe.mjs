import { setTimeout as sleep } from "node:timers/promises";
import { startMeter } from "../meter.mjs";
import { quantiles } from "../statistics.mjs";

const workflow = "million_probe";
const taskType = "million_probe_task";

/** Work that shows how quick the server is beside what it stores: a workflow of one worker task, kept for ever. */
export async function registerProbe(api) {
  await api.registerTask(taskType);
  const task = { name: taskType, taskReferenceName: "t", type: "SIMPLE", inputParameters: {} };
  await api.registerWorkflow(workflow, [task], { metadata: { retention: 0 } });
}

/** Latencies of starting an execution, polling its task and completing it, one after the other. */
export async function probe(api, count) {
  const times = newTimes();
  for (let i = 0; i < count; i++) await roundTrip(api, times);
  return summary(times);
}

/** The same at a steady rate, while `isOver` says no; at most so many seconds. */
export async function probeSteadily(api, { perSecond, seconds, isOver = () => false }) {
  const times = newTimes();
  const underWay = new Set();
  const failures = [];
  const startedAt = performance.now();
  for (let i = 0; performance.now() - startedAt < seconds * 1000 && !isOver(); i++) {
    const dueIn = startedAt + (i * 1000) / perSecond - performance.now();
    if (dueIn > 0) await sleep(dueIn);
    const trip = roundTrip(api, times)
      .catch((error) => failures.push(error.message))
      .finally(() => underWay.delete(trip));
    underWay.add(trip);
  }
  await Promise.all(underWay);
  return { ...summary(times), failures: failures.length, failureSamples: failures.slice(0, 3) };
}

/** CPU and memory of a server and its database while nobody asks anything. */
export async function measureIdle({ pid, databasePid }, seconds) {
  const meters = [startMeter([pid]), startMeter(databasePid === undefined ? [] : [databasePid])];
  await sleep(seconds * 1000);
  const [server, database] = meters.map((end) => end());
  const share = (used) => used && Math.round((1e4 * used.cpuSeconds) / seconds) / 100;
  return {
    seconds,
    serverCpuPercent: share(server),
    databaseCpuPercent: share(database),
    serverMib: server && Math.round(server.peakMib),
  };
}

/** Waits until what is done behind the answers (search rows, checkpoints, vacuum) is done; says how long that took. */
export async function untilAtRest(instance) {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  for (await sleep(5000); seconds() < 300; ) {
    const { serverCpuPercent, databaseCpuPercent } = await measureIdle(instance, 2);
    if (serverCpuPercent < 5 && (databaseCpuPercent ?? 0) < 5) break;
  }
  return Math.round(seconds());
}

const newTimes = () => ({ start: [], poll: [], update: [] });

const summary = (times) => ({
  startMs: quantiles(times.start),
  pollMs: quantiles(times.poll),
  updateMs: quantiles(times.update),
  allMs: quantiles([...times.start, ...times.poll, ...times.update]),
});

async function roundTrip(api, times) {
  const timed = async (name, work) => {
    const startedAt = performance.now();
    const result = await work();
    times[name].push(performance.now() - startedAt);
    return result;
  };
  await timed("start", () => api.start(workflow, {}));
  const path = `/tasks/poll/batch/${taskType}?count=1&timeout=5000&workerid=probe`;
  const [task] = await timed("poll", () => api.callJson("GET", path));
  if (task === undefined) throw new Error("Expected a task within 5 s of its start, got none");
  const { workflowInstanceId, taskId } = task;
  await timed("update", () =>
    api.call("POST", "/tasks", { workflowInstanceId, taskId, workerId: "probe", status: "COMPLETED", outputData: {} }),
  );
}
