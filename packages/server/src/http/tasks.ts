import {
  formatQueueName,
  isExecutionId,
  isInternalQueue,
  isTerminal,
  parseTaskId,
  RawJson,
  type TaskResult,
} from "@downbeat/engine";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fillSecrets } from "../runtime/outside-work.ts";
import type { Claim } from "../runtime/queues.ts";
import { readTasks } from "../runtime/read-execution.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { parseJson, parseMap } from "./body.ts";
import { assertAccepted, invalidInput, noSuchWorkflow, notFound } from "./errors.ts";
import { QueryReader } from "./query.ts";
import { sendJson, sendText, sendValue } from "./reply.ts";
import { parseResultStatus, readTaskResult, type TaskUpdate } from "./task-update.ts";
import { findEntry } from "./wire/entry.ts";
import { taskText } from "./wire/task.ts";

type OfType = { Params: { taskType: string; taskId: string; workflowId: string; ref: string; status: string } };

const LONGEST_POLL_MS = 5000;
const SINGLE_POLL_MS = 100;
const MOST_PER_POLL = 1000;

/** The worker interface: poll, update, log, and what is queued. */
export function taskRoutes(app: FastifyInstance, runtime: Runtime): void {
  const { queues, pollData, clock } = runtime;

  type Poll = { readonly taskType: string; readonly domain: string | undefined; readonly workerId: string };

  /** Claims work and writes it down as the wire shows it. Work whose asker is gone goes back. */
  const poll = async (
    reply: FastifyReply,
    { taskType, domain, workerId }: Poll,
    options: { readonly count: number; readonly timeoutMs: number },
  ): Promise<string[]> => {
    // Executions and tasks that wait for a slot stand in queues too; they are not a worker's business.
    const queue = formatQueueName({ taskType, domain });
    if (isInternalQueue(queue)) return [];
    pollData.note(taskType, domain, workerId, clock());
    const { raw } = reply;
    const onHangUp = (giveUp: () => void) => {
      raw.once("close", giveUp);
      return () => raw.off("close", giveUp);
    };
    const claims = await queues.poll(queue, { ...options, workerId, onHangUp });
    if (claims.length === 0) return [];
    if (raw.destroyed) {
      await queues.putBack(claims);
      return [];
    }
    // The answer may still fail to leave: then nobody has the tasks.
    raw.once("close", () => {
      if (raw.writableFinished) return;
      queues.putBack(claims).catch((error: unknown) =>
        runtime.log.error("Tasks that did not reach their worker could not be put back", {
          queue,
          error: String(error),
        }),
      );
    });
    const texts = await Promise.all(claims.map((claim) => claimText(runtime, claim)));
    return texts.filter((text) => text !== undefined);
  };

  // Looking is not taking: HEAD must not claim what its answer cannot carry. Declared first, or GET brings its own.
  app.head<OfType>("/tasks/poll/:taskType", (_request, reply) => reply.code(204).send());
  app.head<OfType>("/tasks/poll/batch/:taskType", (_request, reply) => sendJson(reply, "[]"));

  app.get<OfType>("/tasks/poll/:taskType", async (request, reply) => {
    const query = new QueryReader(request.query);
    const [text] = await poll(reply, readPoll(request.params.taskType, query), {
      count: 1,
      timeoutMs: SINGLE_POLL_MS,
    });
    return text === undefined ? reply.code(204).send() : sendJson(reply, text);
  });

  app.get<OfType>("/tasks/poll/batch/:taskType", async (request, reply) => {
    const query = new QueryReader(request.query);
    const timeoutMs = query.integer("timeout", 100);
    if (timeoutMs > LONGEST_POLL_MS) throw invalidInput("Long Poll Timeout value cannot be more than 5 seconds");
    const count = Math.min(MOST_PER_POLL, Math.max(0, query.integer("count", 1)));
    if (count === 0) return sendJson(reply, "[]");
    const texts = await poll(reply, readPoll(request.params.taskType, query), { count, timeoutMs });
    return sendJson(reply, `[${texts.join(",")}]`);
  });

  app.post("/tasks", async (request, reply) => {
    const update = readTaskResult(parseJson(request.body));
    await applyUpdate(runtime, update);
    return sendText(reply, update.taskId);
  });

  app.post("/tasks/update-v2", async (request, reply) => {
    const update = readTaskResult(parseJson(request.body));
    const { executionId, no } = await applyUpdate(runtime, update);
    const task = await runtime.findTask(executionId, no);
    if (update.event.kind === "extend-lease" || task === undefined || !isTerminal(task.status))
      return reply.code(204).send();
    const next = { taskType: task.taskType, domain: task.domain, workerId: update.workerId ?? task.workerId ?? "" };
    const [text] = await poll(reply, next, { count: 1, timeoutMs: 0 });
    return text === undefined ? reply.code(204).send() : sendJson(reply, text);
  });

  app.post<OfType>("/tasks/:workflowId/:ref/:status", async (request, reply) => {
    await updateByReference(runtime, request);
    return reply.send();
  });

  app.get<OfType>("/tasks/:taskId", async (request, reply) => {
    const { taskId: id } = request.params;
    const parsed = parseTaskId(id);
    const head = parsed && (await runtime.store.executions.head(parsed.executionId));
    const task = head && parsed && (await runtime.store.executions.task(head.id, parsed.no));
    const [text] = head === undefined || task === undefined ? [] : await readTasks(runtime, head, [task]);
    if (text === undefined) throw notFound(`Task not found for taskId: ${id}`);
    return sendJson(reply, text);
  });

  app.post<OfType>("/tasks/:taskId/log", async (request, reply) => {
    const line = logLine(request);
    const parsed = parseTaskId(request.params.taskId);
    // The interface takes a line for a task that does not exist and never shows it: it is not kept.
    if (parsed === undefined || (await runtime.loadHead(parsed.executionId)) === undefined) return reply.send();
    const { executionId, no } = parsed;
    await runtime.store.commit({ kind: "logs", lines: [{ executionId, no, at: clock(), line }] });
    return reply.send();
  });

  app.get<OfType>("/tasks/:taskId/log", async (request, reply) => {
    const { taskId: id } = request.params;
    const parsed = parseTaskId(id);
    const lines = parsed === undefined ? [] : await runtime.store.logs(parsed.executionId, parsed.no);
    if (lines.length === 0) return reply.code(204).send();
    return sendValue(
      reply,
      lines.map(({ at, line }) => ({ log: line, taskId: id, createdTime: at })),
    );
  });

  app.get("/tasks/queue/size", async (request, reply) => {
    const query = new QueryReader(request.query);
    const name = formatQueueName({
      taskType: query.required("taskType"),
      domain: query.text("domain"),
      executionNameSpace: query.text("executionNamespace"),
      isolationGroupId: query.text("isolationGroupId"),
    });
    return sendJson(reply, String(await runtime.store.queues.size(name)));
  });

  app.get("/tasks/queue/all", async (_request, reply) => {
    const sizes = [...(await runtime.store.queues.sizes())].sort(([a], [b]) => (a < b ? -1 : 1));
    return sendValue(reply, Object.fromEntries(sizes));
  });

  app.get("/tasks/queue/polldata", (request, reply) =>
    sendValue(reply, pollData.of(new QueryReader(request.query).required("taskType"))),
  );
  app.get("/tasks/queue/polldata/all", (_request, reply) => sendValue(reply, pollData.all()));
}

function readPoll(taskType: string, query: QueryReader) {
  return { taskType, domain: query.text("domain"), workerId: query.text("workerid") ?? "" };
}

/** A claimed task as its worker gets it: secrets filled in, which nobody else sees. */
async function claimText(runtime: Runtime, claim: Claim): Promise<string | undefined> {
  const loaded = await runtime.loadClaimed(claim);
  if (loaded === undefined) return undefined;
  const { head, task, input } = loaded;
  const plan = runtime.definitions.findPlan(head.defHash) ?? (await runtime.definitions.loadPlan(head.defHash));
  const root =
    task.tree === 0 || task.tree === task.no ? task : await runtime.store.executions.task(head.id, task.tree);
  const entry = findEntry(plan, task, root, (name) => runtime.definitions.findTaskDef(name));
  const runtimeMetadata = namedValues(runtime, entry.taskDefinition?.runtimeMetadata ?? []);
  return taskText({
    head,
    task,
    entry,
    input: task.secrets === undefined ? input.text : JSON.stringify(fillSecrets(task, input, runtime.secrets)),
    output: claim.work.polls > 1 ? (await runtime.store.executions.payload(head.id, task.no, "output")).text : "{}",
    ...(runtimeMetadata === undefined ? {} : { runtimeMetadata }),
  });
}

/** Secrets, else environment values, by the names a task definition asks for; names without a value are left out. */
function namedValues(runtime: Runtime, names: readonly string[]): Record<string, string> | undefined {
  if (names.length === 0) return undefined;
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = runtime.secrets.find(name) ?? runtime.environment.find(name);
    if (value !== undefined) found[name] = value;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

type TaskPlace = { readonly executionId: string; readonly no: number };

/** Applies a worker's result; answers which task it was. */
async function applyUpdate(runtime: Runtime, update: TaskUpdate): Promise<TaskPlace> {
  const { workflowId, taskId: id, event, logs } = update;
  if (!isExecutionId(workflowId)) throw noSuchWorkflow(workflowId);
  const parsed = parseTaskId(id);
  if (parsed === undefined) {
    if ((await runtime.loadHead(workflowId)) === undefined) throw noSuchWorkflow(workflowId);
    throw notFound(`No such task found by id: ${id}`);
  }
  // The task's id leads to its execution; the one in the body must exist, and usually is the same.
  if (parsed.executionId !== workflowId && (await runtime.loadHead(workflowId)) === undefined)
    throw noSuchWorkflow(workflowId);
  const limit = runtime.config["service.app.taskExecLogSizeLimit"];
  const now = runtime.clock();
  const refusal = await runtime.dispatch(
    parsed.executionId,
    { ...event, no: parsed.no },
    {
      logs: logs.slice(0, limit).map(({ log, createdTime }) => ({ no: parsed.no, at: createdTime || now, line: log })),
    },
  );
  if (refusal?.code === "no-execution") {
    throw parsed.executionId === workflowId ? noSuchWorkflow(workflowId) : notFound(`No such task found by id: ${id}`);
  }
  assertAccepted(refusal);
  return parsed;
}

async function updateByReference(runtime: Runtime, request: FastifyRequest<OfType>): Promise<void> {
  const { workflowId, ref, status } = request.params;
  const resultStatus = parseResultStatus(status);
  const output = parseMap(request.body);
  if (!isExecutionId(workflowId) || (await runtime.loadHead(workflowId)) === undefined)
    throw noSuchWorkflow(workflowId);
  const task = await runtime.findOpenTask(workflowId, ref);
  if (task === undefined) throw notFound(`Found no running task ${ref} of workflow ${workflowId} to update`);
  const workerId = new QueryReader(request.query).text("workerid");
  const result: TaskResult = {
    status: resultStatus,
    output: new RawJson(JSON.stringify(output)),
    outputMode: "merge",
    ...(workerId === undefined ? {} : { workerId }),
  };
  assertAccepted(await runtime.dispatch(workflowId, { kind: "task-result", no: task.no, result }));
}

/** SDKs send a log line as plain text or as a JSON string. */
function logLine(request: FastifyRequest): string {
  const body = typeof request.body === "string" ? request.body : "";
  if (body === "") throw invalidInput("Expected a log line as body, got none");
  const isJson = request.headers["content-type"]?.includes("json") === true;
  if (!isJson || !body.startsWith('"')) return body;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "string" ? value : body;
  } catch {
    // Not JSON after all: the line as it was sent.
    return body;
  }
}
