import {
  type Answer,
  type Api,
  bulkResponseModel,
  flag,
  integer,
  json,
  type Operation,
  operateOnAll,
  pause,
  type Reply,
  type Runtime,
  restart,
  resume,
  retry,
  sendValue,
  terminate,
  text,
  textsBody,
} from "@downbeat/server";
import { prune } from "../run/prune.ts";
import { prunedModel } from "./models.ts";

/** The same for many runs. */
export function bulkRoutes(api: Api, runtime: Runtime): void {
  const body = textsBody("Ids of runs, 1000 at most");
  const answers: Record<number, Answer> = {
    200: json(bulkResponseModel, "Ids it was done to, and messages for others"),
  };
  const operate = async (ids: readonly string[], name: string, operation: Operation, reply: Reply) =>
    sendValue(reply, await operateOnAll(runtime, ids, name, operation));

  api.put("/agent/executions/bulk/pause", { summary: "Pause runs", body, answers }, ({ body: ids }, reply) =>
    operate(ids, "pauseAgents", pause, reply),
  );

  api.put("/agent/executions/bulk/resume", { summary: "Resume runs", body, answers }, ({ body: ids }, reply) =>
    operate(ids, "resumeAgents", resume, reply),
  );

  api.post(
    "/agent/executions/bulk/restart",
    {
      summary: "Restart runs",
      query: { useLatestDefinitions: flag(false, "With the latest versions instead of their own") },
      body,
      answers,
    },
    ({ body: ids, query }, reply) => operate(ids, "restartAgents", restart(query.useLatestDefinitions), reply),
  );

  api.post("/agent/executions/bulk/retry", { summary: "Retry runs", body, answers }, ({ body: ids }, reply) =>
    operate(ids, "retryAgents", retry(false), reply),
  );

  api.post(
    "/agent/executions/bulk/terminate",
    { summary: "Terminate runs", query: { reason: text("Kept as reasonForIncompletion") }, body, answers },
    ({ body: ids, query }, reply) => operate(ids, "terminateAgents", terminate(query.reason), reply),
  );

  api.post(
    "/agent/executions/prune",
    {
      summary: "Remove runs that ended long ago",
      query: {
        olderThanDays: integer(30, "Days since they ended, 1 or more"),
        archiveTasks: flag(false, "Keep their summaries in search"),
      },
      answers: { 200: json(prunedModel, "How many were removed") },
    },
    async ({ query: { olderThanDays, archiveTasks } }, reply) =>
      sendValue(reply, { deleted: await prune(runtime, olderThanDays, archiveTasks) }),
  );
}
