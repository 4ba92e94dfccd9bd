import { createApi, repeat } from "./api.mjs";
import { measureIdle, probe, registerProbe, untilAtRest } from "./probe.mjs";

const workflow = "million_parked";

/**
 * n executions that sleep: what the server uses beside them, how quick it still is, and how soon it is there again.
 * `restart` is undefined for a server that is not the bench's to restart.
 */
export async function measureParked({ instance, restart, n, concurrency, idleSeconds, probes, say }) {
  const api = createApi(instance.base);
  await api.registerWorkflow(workflow, [{ name: "w", taskReferenceName: "w", type: "WAIT" }]);
  await registerProbe(api);
  await probe(api, probes);
  const before = await probe(api, probes);
  say(`parking ${n} executions`);
  const parkedPerSecond = await repeat({ n, concurrency, act: (i) => api.start(workflow, { i }) });
  const restedAfterSeconds = await untilAtRest(instance);
  const idle = await measureIdle(instance, idleSeconds);
  const after = await probe(api, probes);
  api.close();
  const result = { n, parkedPerSecond, restedAfterSeconds, idle, before, after };
  if (restart === undefined) return { ...result, restart: "left out: the server was not started by the bench" };
  say("restarting");
  const { next, stopMs, readyMs } = await restart(instance);
  const again = createApi(next.base);
  const startedAt = performance.now();
  await probe(again, 1);
  const firstRoundTripMs = Math.round(performance.now() - startedAt);
  const afterRestart = await probe(again, probes);
  const { totalHits } = await again.search({ query: `workflowType='${workflow}' AND status='RUNNING'`, size: "1" });
  again.close();
  return { ...result, restart: { stopMs, readyMs, firstRoundTripMs, stillRunning: totalHits }, afterRestart };
}
