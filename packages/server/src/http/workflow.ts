import {
  type Event,
  isExecutionId,
  isJsonObject,
  isWorkflowTerminal,
  normalizeStartRequest,
  parseTaskId,
  RawJson,
} from "@downbeat/engine";
import type { FastifyInstance, FastifyReply } from "fastify";
import { readTasks, readWorkflow } from "../runtime/read-execution.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { parseJson, parseMap } from "./body.ts";
import { isPartOf } from "./descendants.ts";
import { assertAccepted, assertValid, conflict, HttpError, invalidInput, noSuchWorkflow, notFound } from "./errors.ts";
import { QueryReader } from "./query.ts";
import { sendJson, sendText } from "./reply.ts";
import { startFromRequest } from "./start.ts";

type ById = { Params: { id: string; ref: string; name: string } };

/** Executions: start, read, operate. */
export function workflowRoutes(app: FastifyInstance, runtime: Runtime): void {
  /** Applies an operation and answers with an empty body. */
  const operate = async (id: string, event: Event, reply: FastifyReply): Promise<FastifyReply> => {
    await apply(runtime, id, event);
    return reply.send();
  };

  app.post("/workflow", async (request, reply) => {
    const json = parseJson(request.body);
    return sendText(reply, await startFromRequest(runtime, normalizeStartRequest(json)));
  });

  app.post<ById>("/workflow/:name", async (request, reply) => {
    const { name } = request.params;
    const query = new QueryReader(request.query);
    const version = query.optionalInteger("version");
    const priority = query.integer("priority", 0);
    const path = "startWorkflow.arg3";
    if (priority < 0)
      assertValid([{ path, message: "0 is the minimum priority value", invalidValue: String(priority) }]);
    if (priority > 99)
      assertValid([{ path, message: "99 is the maximum priority value", invalidValue: String(priority) }]);
    if (runtime.definitions.findWorkflowDef(name, version) === undefined) {
      throw notFound(`No such workflow found by name: ${name}, version: ${version ?? "null"}`);
    }
    const correlationId = query.text("correlationId");
    const id = await startFromRequest(runtime, {
      name,
      priority,
      input: parseMap(request.body),
      ...(version === undefined ? {} : { version }),
      ...(correlationId === undefined ? {} : { correlationId }),
    });
    return sendText(reply, id);
  });

  app.get<ById>("/workflow/:id", async (request, reply) => {
    const { id } = request.params;
    const includeTasks = new QueryReader(request.query).flag("includeTasks", true);
    const text = isExecutionId(id) ? await readWorkflow(runtime, id, { includeTasks }) : undefined;
    if (text === undefined) throw noSuchWorkflow(id);
    return sendJson(reply, text);
  });

  app.get<ById>("/workflow/:id/status", async (request, reply) => {
    const { id } = request.params;
    const query = new QueryReader(request.query);
    const whole = isExecutionId(id) ? await runtime.store.executions.whole(id, { includeTasks: false }) : undefined;
    if (whole === undefined) throw noSuchWorkflow(id);
    const { head } = whole;
    const parts = [
      `"workflowId":${JSON.stringify(head.id)}`,
      ...(head.correlationId === undefined || head.correlationId === ""
        ? []
        : [`"correlationId":${JSON.stringify(head.correlationId)}`]),
      ...(query.flag("includeOutput", false) ? [`"output":${whole.output.text}`] : []),
      ...(query.flag("includeVariables", false) ? [`"variables":${whole.variables.text}`] : []),
      `"status":"${head.status}"`,
    ];
    return sendJson(reply, `{${parts.join(",")}}`);
  });

  app.get<ById>("/workflow/:id/tasks", async (request, reply) => {
    const { id } = request.params;
    const query = new QueryReader(request.query);
    const start = query.integer("start", 0);
    const count = query.integer("count", 15);
    const wanted = new Set(query.list("status").map((status) => status.toUpperCase()));
    const head = isExecutionId(id) ? await runtime.store.executions.head(id) : undefined;
    if (head === undefined) throw noSuchWorkflow(id);
    const matching = [...(await runtime.store.executions.all(head))]
      .filter((task) => wanted.size === 0 || wanted.has(task.status))
      .sort((a, b) => a.seq - b.seq);
    const page = matching.slice(Math.max(0, start), Math.max(0, start) + Math.max(0, count));
    const results = await readTasks(runtime, head, page);
    return sendJson(reply, `{"totalHits":${matching.length},"results":[${results.join(",")}]}`);
  });

  app.put<ById>("/workflow/:id/pause", (request, reply) => operate(request.params.id, { kind: "pause" }, reply));
  app.put<ById>("/workflow/:id/resume", (request, reply) => operate(request.params.id, { kind: "resume" }, reply));
  app.put<ById>("/workflow/decide/:id", (request, reply) => operate(request.params.id, { kind: "decide" }, reply));
  app.post<ById>("/workflow/:id/resetcallbacks", (request, reply) =>
    operate(request.params.id, { kind: "reset-callbacks" }, reply),
  );

  app.post<ById>("/workflow/:id/restart", async (request, reply) => {
    const { id } = request.params;
    const useLatest = new QueryReader(request.query).flag("useLatestDefinitions", false);
    return await operate(id, useLatest ? await restartWithLatest(runtime, id) : { kind: "restart" }, reply);
  });

  app.post<ById>("/workflow/:id/retry", (request, reply) => {
    const resumeSubworkflowTasks = new QueryReader(request.query).flag("resumeSubworkflowTasks", false);
    return operate(request.params.id, { kind: "retry", resumeSubworkflowTasks }, reply);
  });

  app.post<ById>("/workflow/:id/rerun", async (request, reply) => {
    const { id } = request.params;
    const body = parseMap(request.body);
    const { reRunFromTaskId: from, taskInput, workflowInput, correlationId } = body;
    const common = {
      ...(isJsonObject(workflowInput) ? { workflowInput: new RawJson(JSON.stringify(workflowInput)) } : {}),
      ...(typeof correlationId === "string" ? { correlationId } : {}),
      ...(isJsonObject(taskInput) ? { taskInput } : {}),
    };
    if (from === undefined || from === null || from === "") {
      await apply(runtime, id, { kind: "rerun", ...common });
      return sendText(reply, id);
    }
    await assertCanRerun(runtime, id);
    const target = typeof from === "string" ? parseTaskId(from) : undefined;
    const isFound =
      target !== undefined &&
      (await isPartOf(runtime, id, target.executionId)) &&
      (await runtime.findTask(target.executionId, target.no)) !== undefined;
    if (!isFound) throw invalidInput(`Task ${String(from)} not found`);
    await apply(runtime, target.executionId, { kind: "rerun", fromNo: target.no, ...common });
    return sendText(reply, id);
  });

  app.put<ById>("/workflow/:id/skiptask/:ref", (request, reply) => {
    const { taskInput, taskOutput } = parseMap(request.body);
    return operate(
      request.params.id,
      {
        kind: "skip",
        ref: request.params.ref,
        ...(isJsonObject(taskInput) ? { taskInput } : {}),
        ...(isJsonObject(taskOutput) ? { taskOutput } : {}),
      },
      reply,
    );
  });

  app.delete<ById>("/workflow/:id", (request, reply) => {
    const query = new QueryReader(request.query);
    const reason = query.text("reason");
    return operate(
      request.params.id,
      {
        kind: "terminate",
        triggerFailureWorkflow: query.flag("triggerFailureWorkflow", false),
        ...(reason === undefined ? {} : { reason }),
      },
      reply,
    );
  });

  app.delete<ById>("/workflow/:id/remove", async (request, reply) => {
    const { id } = request.params;
    const keepsSearchRow = new QueryReader(request.query).flag("archiveWorkflow", true);
    await remove(runtime, id, { keepsSearchRow, reason: undefined });
    return reply.send();
  });
}

/** Applies an operation to an execution; an unknown one is a 404, a refusal its own status. */
async function apply(runtime: Runtime, id: string, event: Event): Promise<void> {
  if (!isExecutionId(id) || (await runtime.loadHead(id)) === undefined) throw noSuchWorkflow(id);
  assertAccepted(await runtime.dispatch(id, event));
}

/** Said before the task is looked for, as the interface does: a running execution is a 409 whatever task is named. */
async function assertCanRerun(runtime: Runtime, id: string): Promise<void> {
  const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
  if (head === undefined) throw noSuchWorkflow(id);
  if (isWorkflowTerminal(head.status)) return;
  const name = `${head.workflowName}.${head.workflowVersion}/${id}.${head.status}`;
  throw conflict(`Workflow: ${name} is not in terminal state, unable to rerun.`);
}

async function restartWithLatest(runtime: Runtime, id: string): Promise<Event> {
  const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
  if (head === undefined) throw noSuchWorkflow(id);
  const latest = runtime.definitions.pinRegistered(head.workflowName);
  if (latest === undefined) throw notFound(`Unable to find latest definition for ${id}`);
  return { kind: "restart", defHash: latest.hash, workflowVersion: latest.version };
}

type RemoveOptions = { readonly keepsSearchRow: boolean; readonly reason: string | undefined };

/** Any state: what is running is terminated first. */
async function remove(runtime: Runtime, id: string, { keepsSearchRow, reason }: RemoveOptions): Promise<void> {
  const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
  if (head === undefined) throw noSuchWorkflow(id);
  if (head.status === "RUNNING" || head.status === "PAUSED") {
    assertAccepted(await runtime.dispatch(id, { kind: "terminate", ...(reason === undefined ? {} : { reason }) }));
  }
  const { kind } = await runtime.store.commit({ kind: "remove-execution", id, keepsSearchRow });
  if (kind !== "done") throw new HttpError(404, `No such workflow found by id: ${id}`);
}
