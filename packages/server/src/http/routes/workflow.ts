import { isExecutionId } from "@downbeat/engine";
import { readTasks, readWorkflowParts } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json } from "../api.ts";
import { invalidInput, noSuchWorkflow } from "../errors.ts";
import { sendPieces, sendWithPayloads } from "../large-answer.ts";
import { taskPageModel, workflowModel, workflowStatusModel } from "../models.ts";
import { externalPayloads, flag, integer, list } from "../parameters.ts";
import { sendJson } from "../reply.ts";
import { maskText } from "../wire/mask.ts";
import { workflowPieces, workflowText } from "../wire/workflow.ts";

/** Reading one execution. */
export function workflowRoutes(api: Api, runtime: Runtime): void {
  api.get(
    "/workflow/:id",
    {
      summary: "An execution with its tasks",
      query: { includeTasks: flag(true, "With its tasks"), externalPayloads },
      answers: { 200: json(workflowModel, "The execution") },
    },
    async ({ params: { id }, query }, reply) => {
      const { includeTasks } = query;
      const payloads = query.externalPayloads ? "paths" : "placeholders";
      const parts = isExecutionId(id) ? await readWorkflowParts(runtime, id, { includeTasks, payloads }) : undefined;
      if (parts === undefined) throw noSuchWorkflow(id);
      if (parts.hasPlaceholders) return sendWithPayloads(runtime.payloads, reply, workflowText(parts));
      return sendPieces(reply, workflowPieces(parts));
    },
  );

  api.get(
    "/workflow/:id/status",
    {
      summary: "How an execution stands, in short",
      query: { includeOutput: flag(false, "With its output"), includeVariables: flag(false, "With its variables") },
      answers: { 200: json(workflowStatusModel, "Its status") },
    },
    async ({ params: { id }, query: { includeOutput, includeVariables } }, reply) => {
      const whole = isExecutionId(id) ? await runtime.store.executions.whole(id, { includeTasks: false }) : undefined;
      if (whole === undefined) throw noSuchWorkflow(id);
      const { head } = whole;
      const { maskedFields } = (await runtime.definitions.loadPlan(head.defHash)).def;
      const parts = [
        `"workflowId":${JSON.stringify(head.id)}`,
        ...(head.correlationId === undefined || head.correlationId === ""
          ? []
          : [`"correlationId":${JSON.stringify(head.correlationId)}`]),
        ...(includeOutput
          ? [`"output":${maskText((await runtime.payloads.whole(whole.output)).text, maskedFields)}`]
          : []),
        ...(includeVariables ? [`"variables":${maskText(whole.variables.text, maskedFields)}`] : []),
        `"status":"${head.status}"`,
      ];
      return sendJson(reply, `{${parts.join(",")}}`);
    },
  );

  api.get(
    "/workflow/:id/tasks",
    {
      summary: "A page of an execution's tasks",
      query: {
        start: integer(0, "Tasks to pass over"),
        count: integer(15, "At most this many"),
        status: list("Only tasks of these statuses, in any case"),
      },
      answers: { 200: json(taskPageModel, "In the order of the execution; totalHits counts all that match") },
    },
    async ({ params: { id }, query: { start, count, status } }, reply) => {
      if (start < 0) throw invalidInput(`fromIndex = ${start}`);
      const wanted = new Set(status.map((one) => one.toUpperCase()));
      const head = isExecutionId(id) ? await runtime.store.executions.head(id) : undefined;
      if (head === undefined) throw noSuchWorkflow(id);
      const matching = [...(await runtime.store.executions.all(head))]
        .filter((task) => wanted.size === 0 || wanted.has(task.status))
        .sort((a, b) => a.seq - b.seq);
      const page = matching.slice(start, start + Math.max(0, count));
      const results = await readTasks(runtime, head, page, "placeholders");
      return sendWithPayloads(
        runtime.payloads,
        reply,
        `{"totalHits":${matching.length},"results":[${results.join(",")}]}`,
      );
    },
  );
}
