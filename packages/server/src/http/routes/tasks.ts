import {
  formatQueueName,
  isExecutionId,
  isInternalQueue,
  isTerminal,
  parseTaskId,
  type RawJson,
} from "@downbeat/engine";
import { parseReference, placeholderOf } from "../../payloads/reference.ts";
import { fillSecrets } from "../../runtime/outside-work.ts";
import type { Claim } from "../../runtime/queues.ts";
import { readTasks } from "../../runtime/read-execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, type Body, json, nothing, plainText } from "../api.ts";
import { jsonBody } from "../body.ts";
import { assertAccepted, invalidInput, noSuchWorkflow, notFound } from "../errors.ts";
import { readExternal } from "../external-payload.ts";
import { sendWithPayloads } from "../large-answer.ts";
import { divideLargeResult, largestResult } from "../large-result.ts";
import { listOf, taskLogModel, taskModel } from "../models.ts";
import { externalPayloads, integer, text } from "../parameters.ts";
import { type Reply, sendJson, sendText, sendValue } from "../reply.ts";
import { readTaskResult, type TaskUpdate, taskResultModel } from "../task-update.ts";
import { EntryFinder } from "../wire/entry.ts";
import { taskText } from "../wire/task.ts";

const LONGEST_POLL_MS = 5000;
const SINGLE_POLL_MS = 100;
const MOST_PER_POLL = 1000;

const pollQuery = {
  workerid: text("Shown as the task's workerId"),
  domain: text("Only tasks of this domain; none when left out"),
};

/** SDKs send a log line as plain text or as a JSON string. Which of them it is, the content type says. */
const lineBody: Body<string> = {
  schema: { type: "string" },
  description: "The line",
  required: true,
  contentType: "text/plain",
  read(body) {
    if (typeof body !== "string" || body === "") throw invalidInput("Expected a log line as body, got none");
    return body;
  },
};

/** The worker interface: poll, update, log, and what is queued. */
export function taskRoutes(api: Api, runtime: Runtime): void {
  const { queues, pollData, metrics, clock, payloads } = runtime;

  type Poll = { readonly taskType: string; readonly domain: string | undefined; readonly workerId: string };

  /** Claims work and writes it down as the wire shows it. Work whose asker is gone goes back. */
  const poll = async (
    reply: Reply,
    { taskType, domain, workerId }: Poll,
    options: { readonly count: number; readonly timeoutMs: number },
  ): Promise<string[]> => {
    // Executions and tasks that wait for a slot stand in queues too; they are not a worker's business.
    const queue = formatQueueName({ taskType, domain });
    if (isInternalQueue(queue)) return [];
    pollData.note(taskType, domain, workerId, clock());
    metrics.notePoll(taskType, domain);
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

  api.head("/tasks/poll/:taskType", (reply) => reply.code(204).send());
  api.head("/tasks/poll/batch/:taskType", (reply) => sendJson(reply, "[]"));

  api.get(
    "/tasks/poll/:taskType",
    {
      summary: "Take one task",
      query: pollQuery,
      answers: { 200: json(taskModel, "The task, now yours"), 204: nothing("There is none") },
    },
    async ({ params: { taskType }, query: { workerid: workerId = "", domain } }, reply) => {
      const [task] = await poll(reply, { taskType, domain, workerId }, { count: 1, timeoutMs: SINGLE_POLL_MS });
      return task === undefined ? reply.code(204).send() : sendWithPayloads(payloads, reply, task);
    },
  );

  api.get(
    "/tasks/poll/batch/:taskType",
    {
      summary: "Take several tasks",
      query: {
        ...pollQuery,
        count: integer(1, `At most this many, and at most ${MOST_PER_POLL}`),
        timeout: integer(100, `Milliseconds to wait for the first, at most ${LONGEST_POLL_MS}`),
      },
      answers: { 200: json(listOf(taskModel), "The tasks, now yours; empty when there is none") },
    },
    async ({ params: { taskType }, query }, reply) => {
      const { workerid: workerId = "", domain, timeout: timeoutMs } = query;
      if (timeoutMs > LONGEST_POLL_MS) throw invalidInput("Long Poll Timeout value cannot be more than 5 seconds");
      const count = Math.min(MOST_PER_POLL, Math.max(0, query.count));
      if (count === 0) return sendJson(reply, "[]");
      const tasks = await poll(reply, { taskType, domain, workerId }, { count, timeoutMs });
      return sendWithPayloads(payloads, reply, `[${tasks.join(",")}]`);
    },
  );

  const resultBody = {
    ...jsonBody(taskResultModel, "How the task stands"),
    divide: divideLargeResult(runtime),
    mostBytes: largestResult(runtime),
  };

  api.post(
    "/tasks",
    { summary: "Report on a task", body: resultBody, answers: { 200: plainText("Id of the task") } },
    async ({ body }, reply) => {
      const update = readTaskResult(body);
      await applyUpdate(runtime, update);
      return sendText(reply, update.taskId);
    },
  );

  api.post(
    "/tasks/update-v2",
    {
      summary: "Report on a task and take the next of its type",
      body: resultBody,
      answers: { 200: json(taskModel, "The next task, now yours"), 204: nothing("There is none") },
    },
    async ({ body }, reply) => {
      const update = readTaskResult(body);
      const { executionId, no } = await applyUpdate(runtime, update);
      const task = await runtime.findTask(executionId, no);
      if (update.event.kind === "extend-lease" || task === undefined || !isTerminal(task.status))
        return reply.code(204).send();
      const next = { taskType: task.taskType, domain: task.domain, workerId: update.workerId ?? task.workerId ?? "" };
      const [claimed] = await poll(reply, next, { count: 1, timeoutMs: 0 });
      return claimed === undefined ? reply.code(204).send() : sendWithPayloads(payloads, reply, claimed);
    },
  );

  api.get(
    "/tasks/:taskId",
    { summary: "One task", query: { externalPayloads }, answers: { 200: json(taskModel, "The task") } },
    async ({ params: { taskId: id }, query }, reply) => {
      const parsed = parseTaskId(id);
      const head = parsed && (await runtime.store.executions.head(parsed.executionId));
      const task = head && parsed && (await runtime.store.executions.task(head.id, parsed.no));
      const mode = query.externalPayloads ? "paths" : "placeholders";
      const [found] = head === undefined || task === undefined ? [] : await readTasks(runtime, head, [task], mode);
      if (found === undefined) throw notFound(`Task not found for taskId: ${id}`);
      return sendWithPayloads(payloads, reply, found);
    },
  );

  api.post(
    "/tasks/:taskId/log",
    { summary: "Add a line to a task's log", body: lineBody, answers: { 200: nothing("Kept") } },
    async ({ params: { taskId }, body, contentType }, reply) => {
      const parsed = parseTaskId(taskId);
      // The interface takes a line for a task that does not exist and never shows it: it is not kept.
      if (parsed === undefined || (await runtime.loadHead(parsed.executionId)) === undefined) return reply.send();
      const { executionId, no } = parsed;
      await runtime.addLogs(executionId, no, [logLine(body, contentType)]);
      return reply.send();
    },
  );

  api.get(
    "/tasks/:taskId/log",
    {
      summary: "A task's log",
      answers: { 200: json(listOf(taskLogModel), "Oldest first"), 204: nothing("There are no lines") },
    },
    async ({ params: { taskId: id } }, reply) => {
      const parsed = parseTaskId(id);
      const lines = parsed === undefined ? [] : await runtime.store.logs(parsed.executionId, parsed.no);
      if (lines.length === 0) return reply.code(204).send();
      return sendValue(
        reply,
        lines.map(({ at, line }) => ({ log: line, taskId: id, createdTime: at })),
      );
    },
  );
}

/** A claimed task as its worker gets it: secrets filled in, which nobody else sees. */
async function claimText(runtime: Runtime, claim: Claim): Promise<string | undefined> {
  const loaded = await runtime.loadClaimed(claim);
  if (loaded === undefined) return undefined;
  const { head, task, input } = loaded;
  const plan = runtime.definitions.findPlan(head.defHash) ?? (await runtime.definitions.loadPlan(head.defHash));
  const root =
    task.tree === 0 || task.tree === task.no ? task : await runtime.store.executions.task(head.id, task.tree);
  // Its own, found for nobody else: it needs no model.
  const { entry } = new EntryFinder(plan, (name) => runtime.definitions.findTaskDef(name)).find(task, root);
  const isFirst = claim.work.polls === 1;
  if (isFirst && Object.keys(entry.onStateChange).some((transitions) => transitions.includes("onStart")))
    await runtime.dispatch(head.id, { kind: "claimed", no: task.no });
  const runtimeMetadata = namedValues(runtime, entry.taskDefinition?.runtimeMetadata ?? []);
  return taskText({
    head,
    task,
    entry,
    input:
      task.secrets === undefined
        ? placeholderText(input)
        : JSON.stringify(fillSecrets(task, await runtime.payloads.whole(input), runtime.secrets)),
    output:
      claim.work.polls > 1 ? placeholderText(await runtime.store.executions.payload(head.id, task.no, "output")) : "{}",
    ...(runtimeMetadata === undefined ? {} : { runtimeMetadata }),
  });
}

/** The payload, or what stands for it until the answer is sent. */
function placeholderText(raw: RawJson): string {
  const reference = parseReference(raw.stored);
  return reference === undefined ? raw.text : placeholderOf(reference);
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
  const { workflowId, taskId: id, logs } = update;
  if (!isExecutionId(workflowId)) throw noSuchWorkflow(workflowId);
  const parsed = parseTaskId(id);
  if (parsed === undefined) {
    if ((await runtime.loadHead(workflowId)) === undefined) throw noSuchWorkflow(workflowId);
    throw notFound(`No such task found by id: ${id}`);
  }
  // The task's id leads to its execution; the one in the body must exist, and usually is the same.
  if (parsed.executionId !== workflowId && (await runtime.loadHead(workflowId)) === undefined)
    throw noSuchWorkflow(workflowId);
  const event = await withExternalOutput(runtime, update.event);
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

/** An output that was handed over apart from the result is the result's output. */
async function withExternalOutput(runtime: Runtime, event: TaskUpdate["event"]): Promise<TaskUpdate["event"]> {
  const path = event.kind === "task-result" ? event.result.externalOutputPayloadStoragePath : undefined;
  if (event.kind !== "task-result" || path === undefined || path === "") return event;
  const { externalOutputPayloadStoragePath: _path, ...result } = event.result;
  const output = await readExternal(runtime, path, {
    threshold: runtime.config["service.app.taskOutputPayloadSizeThreshold"],
    most: runtime.config["service.app.maxTaskOutputPayloadSizeThreshold"],
  });
  return { ...event, result: { ...result, output } };
}

/** A JSON string literal is stored as the text it stands for, everything else as it was sent. */
function logLine(body: string, contentType = ""): string {
  const isJson = contentType.includes("json");
  if (!isJson || !body.startsWith('"')) return body;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "string" ? value : body;
  } catch {
    // Not JSON after all: the line as it was sent.
    return body;
  }
}
