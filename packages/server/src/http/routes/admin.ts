import { isExecutionId, isWorkflowTerminal } from "@downbeat/engine";
import type { Retention } from "../../retention/retention.ts";
import { readTasks } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, plainText } from "../api.ts";
import { noSuchWorkflow } from "../errors.ts";
import { freeObject, listOf, mapOf, nodeModel, retentionModel, taskModel } from "../models.ts";
import { apply } from "../operations.ts";
import { flag, integer } from "../parameters.ts";
import { sendJson, sendText, sendValue } from "../reply.ts";

const MOST_TASKS = 1000;

type AdminParts = { readonly version: string; readonly retention: Retention };

/** For operators. */
export function adminRoutes(api: Api, runtime: Runtime, { version, retention }: AdminParts): void {
  api.get(
    "/admin/config",
    { summary: "What runs here", answers: { 200: json(mapOf({ type: "string" }), "Its version, never a secret") } },
    (_call, reply) => sendValue(reply, { version, buildDate: "" }),
  );

  api.get(
    "/admin/task/:taskType",
    {
      summary: "Open tasks of a task definition",
      query: { start: integer(0, "Tasks to pass over"), count: integer(100, `At most this many, and ${MOST_TASKS}`) },
      answers: { 200: json(listOf(taskModel), "Oldest first") },
    },
    async ({ params: { taskType }, query: { start, count } }, reply) => {
      const { results } = await runtime.store.search.tasks({
        where: [
          { field: "taskDefName", op: "=", values: [taskType] },
          { field: "status", op: "IN", values: ["SCHEDULED", "IN_PROGRESS"] },
        ],
        text: [],
        sort: [],
        start: Math.max(0, start),
        size: Math.min(MOST_TASKS, Math.max(0, count)),
      });
      const tasks = await Promise.all(results.map(({ head, task }) => readTasks(runtime, head, [task])));
      return sendJson(reply, `[${tasks.flat().join(",")}]`);
    },
  );

  api.post(
    "/admin/sweep/requeue/:workflowId",
    {
      summary: "Look at an execution again",
      answers: { 200: plainText("true or false, then the id: whether there was something to do") },
    },
    async ({ params: { workflowId: id } }, reply) => {
      const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
      const isRunning = head !== undefined && !isWorkflowTerminal(head.status);
      if (isRunning) await apply(runtime, id, { kind: "decide" });
      // A running execution has a timer for whatever it waits for: it is in the queue, so to speak, already.
      return sendText(reply, `${!isRunning}.${id}`);
    },
  );

  api.post(
    "/admin/consistency/verifyAndRepair/:workflowId",
    {
      summary: "Check an execution and mend what is wrong",
      answers: { 200: plainText("true when something was mended") },
    },
    async ({ params: { workflowId: id } }, reply) => {
      const before = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
      if (before === undefined) throw noSuchWorkflow(id);
      await apply(runtime, id, { kind: "decide" });
      const after = await runtime.loadHead(id);
      return sendText(reply, String(after?.rev !== before.rev));
    },
  );

  api.get(
    "/admin/nodes",
    {
      summary: "The servers on this store",
      description: "Each with its load, as it said at its last heartbeat. An embedded store has one.",
      answers: { 200: json(listOf(nodeModel), "By name") },
    },
    (_call, reply) => {
      const nodes = runtime.nodes().map(({ polls = [], ...node }) => ({ ...node, activePolls: polls.length }));
      return sendValue(reply, nodes);
    },
  );

  api.get(
    "/admin/retention",
    {
      summary: "What retention would remove now",
      description: "Executions at the top, each counted without its sub-workflows; nothing is removed by asking.",
      answers: {
        200: json(listOf(retentionModel), "One entry per rule; * is for definitions without one of their own"),
      },
    },
    async (_call, reply) => sendValue(reply, await retention.preview()),
  );

  api.get(
    "/admin/queues",
    {
      summary: "Queues of active event handlers",
      query: { verbose: flag(false, "With their sizes") },
      answers: { 200: json(freeObject, "By event") },
    },
    ({ query: { verbose } }, reply) => {
      const events = [
        ...new Set(runtime.events.handlers.all().flatMap(({ event, active }) => (active ? [event] : []))),
      ];
      // Messages wait in the outbox of their sender, not in queues: there are never any here.
      const entries = events.map((event) => {
        const queue = event.slice(event.indexOf(":") + 1);
        return [event, verbose ? { [queue]: 0 } : queue];
      });
      return sendValue(reply, Object.fromEntries(entries));
    },
  );
}
