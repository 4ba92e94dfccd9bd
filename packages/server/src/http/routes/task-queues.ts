import { formatQueueName, isInternalQueue } from "@downbeat/engine";
import { requeue } from "../../runtime/requeue.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, plainText } from "../api.ts";
import { counts, listOf, mapOf, pollDataModel, queueDetailModel, wholeNumber } from "../models.ts";
import { list, requiredText, text } from "../parameters.ts";
import { sendJson, sendText, sendValue } from "../reply.ts";

/** What waits for workers, and which workers asked for it. */
export function taskQueueRoutes(api: Api, runtime: Runtime): void {
  const { pollData, store } = runtime;

  const sizes = async (): Promise<[string, number][]> =>
    [...(await store.queues.sizes())].filter(([name]) => !isInternalQueue(name)).sort(([a], [b]) => (a < b ? -1 : 1));

  api.get(
    "/tasks/queue/size",
    {
      summary: "How many tasks of a type wait for a worker",
      query: {
        taskType: requiredText("Name of the task definition"),
        domain: text("Of this domain"),
        isolationGroupId: text("Of this isolation group"),
        executionNamespace: text("Of this namespace"),
      },
      answers: { 200: json(wholeNumber, "Delayed ones included") },
    },
    async ({ query: { taskType, domain, executionNamespace, isolationGroupId } }, reply) => {
      const name = formatQueueName({ taskType, domain, executionNameSpace: executionNamespace, isolationGroupId });
      return sendJson(reply, String(await store.queues.size(name)));
    },
  );

  api.get(
    "/tasks/queue/sizes",
    {
      summary: "How many tasks of several types wait for workers",
      query: { taskType: list("Names of task definitions") },
      answers: { 200: json(counts, "By type") },
    },
    async ({ query: { taskType } }, reply) => {
      const found: [string, number][] = [];
      for (const type of taskType) found.push([type, await store.queues.size(formatQueueName({ taskType: type }))]);
      return sendValue(reply, Object.fromEntries(found));
    },
  );

  api.get(
    "/tasks/queue/all",
    { summary: "How many tasks wait in each queue", answers: { 200: json(counts, "By queue") } },
    async (_call, reply) => sendValue(reply, Object.fromEntries(await sizes())),
  );

  api.get(
    "/tasks/queue/all/verbose",
    {
      summary: "How many tasks wait in each queue, by shard",
      answers: { 200: json(mapOf(queueDetailModel), "By queue; an embedded store has one shard") },
    },
    async (_call, reply) =>
      sendValue(
        reply,
        Object.fromEntries((await sizes()).map(([name, size]) => [name, { size, shards: { a: size } }])),
      ),
  );

  api.get(
    "/tasks/queue/polldata",
    {
      summary: "Who polled for a type last",
      query: { taskType: requiredText("Name of the task definition") },
      answers: { 200: json(listOf(pollDataModel), "One entry per domain") },
    },
    async ({ query: { taskType } }, reply) => {
      await runtime.gatherPollData();
      return sendValue(reply, pollData.of(taskType));
    },
  );

  api.get(
    "/tasks/queue/polldata/all",
    { summary: "Who polled last, for every type", answers: { 200: json(listOf(pollDataModel), "By queue") } },
    async (_call, reply) => {
      await runtime.gatherPollData();
      return sendValue(reply, pollData.all());
    },
  );

  api.post(
    "/tasks/queue/requeue/:taskType",
    {
      summary: "Offer the open tasks of a type again",
      description: "Tasks that a worker has taken are offered again too; delays that are still running are kept.",
      answers: { 200: plainText("How many there were") },
    },
    async ({ params: { taskType } }, reply) => sendText(reply, String(await requeue(runtime, taskType))),
  );
}
