import { isExecutionId, parseTaskId, RawJson, taskId } from "@downbeat/engine";
import {
  type Api,
  assertAccepted,
  freeObject,
  invalidInput,
  json,
  jsonBody,
  listOf,
  mapBody,
  noSuchWorkflow,
  notFound,
  nothing,
  parseResultStatus,
  plainText,
  type Runtime,
  sendText,
  sendValue,
  taskLogModel,
  textOr,
} from "@downbeat/server";
import { asObject } from "../run/starts.ts";
import { trackedModel, trackedTaskModel } from "./models.ts";

/** The task that keeps a tracking execution open until its worker says that it is done. */
const TRACKING = { name: "tracking", taskReferenceName: "tracking", type: "WAIT" };

/** Executions that show what a framework's own run does, kept by the framework's worker. */
export function trackingRoutes(api: Api, runtime: Runtime): void {
  /** Starts an execution of one task that stays open. */
  const show = (
    name: string,
    task: typeof TRACKING,
    input: unknown,
    belongsTo: string | undefined,
  ): Promise<string> => {
    const pinned = runtime.definitions.pinGiven({
      name,
      version: 1,
      schemaVersion: 2,
      tasks: [task],
      outputParameters: { result: `\${${task.taskReferenceName}.output}` },
      metadata: { classifier: "AGENT" },
      timeoutSeconds: 0,
      timeoutPolicy: "ALERT_ONLY",
    });
    const request = belongsTo === undefined ? {} : { correlationId: belongsTo };
    return runtime.startExecution(pinned, request, new RawJson(JSON.stringify(asObject(input))));
  };

  api.post(
    "/agent/execution",
    {
      summary: "Show a framework's run as an execution",
      body: jsonBody(
        {
          type: "object",
          properties: {
            workflowName: { type: "string" },
            input: freeObject,
            parentWorkflowId: { type: "string" },
            parentWorkflowTaskId: { type: "string" },
          },
        },
        "Its name and input",
      ),
      answers: { 200: json(trackedModel, "Its id") },
    },
    async ({ body }, reply) => {
      const { workflowName: name, input, parentWorkflowId } = asObject(body);
      if (typeof name !== "string" || name.trim() === "") throw invalidInput("workflowName is required");
      const parent = typeof parentWorkflowId === "string" && parentWorkflowId !== "" ? parentWorkflowId : undefined;
      const id = await show(name, TRACKING, input, parent);
      return sendValue(reply, { executionId: id });
    },
  );

  api.post(
    "/agent/:id/tasks",
    {
      summary: "Show a step of a framework's run",
      description:
        "As a task of an execution of its own, whose correlationId is the run: report on it by the taskId. Types SIMPLE and SUB_WORKFLOW look the same.",
      body: jsonBody(
        {
          type: "object",
          properties: {
            taskDefName: { type: "string" },
            referenceTaskName: { type: "string" },
            type: { type: "string", enum: ["SIMPLE", "SUB_WORKFLOW"] },
            inputData: freeObject,
            status: { type: "string" },
            subWorkflowParam: freeObject,
          },
        },
        "The step",
      ),
      answers: { 200: json(trackedTaskModel, "Id of the task") },
    },
    async ({ params: { id }, body }, reply) => {
      if (!isExecutionId(id) || (await runtime.loadHead(id)) === undefined) throw noSuchWorkflow(id);
      const { taskDefName, referenceTaskName: ref, inputData } = asObject(body);
      if (typeof taskDefName !== "string" || taskDefName.trim() === "") throw invalidInput("taskDefName is required");
      const taskReferenceName = typeof ref === "string" && ref !== "" ? ref : taskDefName;
      const shown = await show(taskDefName, { name: taskDefName, taskReferenceName, type: "WAIT" }, inputData, id);
      return sendValue(reply, { taskId: taskId(shown, 1) });
    },
  );

  api.post(
    "/agent/execution/:id/complete",
    {
      summary: "End a framework's run that was shown",
      body: mapBody("Its output"),
      answers: { 200: nothing("It is over") },
    },
    async ({ params: { id }, body }, reply) => {
      const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
      if (head === undefined) throw noSuchWorkflow(id);
      for (const task of await runtime.store.executions.open(head, Number.MAX_SAFE_INTEGER)) {
        const result = { status: "COMPLETED", outputMode: "merge", output: new RawJson(JSON.stringify(body)) } as const;
        assertAccepted(await runtime.dispatch(id, { kind: "task-result", no: task.no, result }));
      }
      return reply.send();
    },
  );

  api.post(
    "/agent/tasks/:id/:ref/:status",
    {
      summary: "Report on a task of a run by its reference name",
      query: { workerid: textOr("agent-ui", "Shown as the task's workerId") },
      body: mapBody("Output, laid over what the task has"),
      answers: { 200: plainText("Id of the task") },
    },
    async ({ params: { id, ref, status }, query: { workerid }, body }, reply) => {
      if (!isExecutionId(id) || (await runtime.loadHead(id)) === undefined) throw noSuchWorkflow(id);
      const task = await runtime.findOpenTask(id, ref);
      if (task === undefined) throw notFound(`Found no running task ${ref} of workflow ${id} to update`);
      const result = {
        status: parseResultStatus(status),
        outputMode: "merge",
        output: new RawJson(JSON.stringify(body)),
        workerId: workerid,
      } as const;
      assertAccepted(await runtime.dispatch(id, { kind: "task-result", no: task.no, result }));
      return sendText(reply, taskId(id, task.no));
    },
  );

  api.get(
    "/agent/tasks/:taskId/log",
    { summary: "A task's log", answers: { 200: json(listOf(taskLogModel), "Oldest first") } },
    async ({ params }, reply) => {
      const parsed = parseTaskId(params.taskId);
      const lines = parsed === undefined ? [] : await runtime.store.logs(parsed.executionId, parsed.no);
      return sendValue(
        reply,
        lines.map(({ at, line }) => ({ log: line, taskId: params.taskId, createdTime: at })),
      );
    },
  );
}
