import { isJsonObject, type JsonObject, type Schema } from "@downbeat/engine";
import type { BulkJob, BulkJobs, JobChange, NewJob } from "../../jobs/bulk-jobs.ts";
import { EventStream, eventText } from "../../streams/event-stream.ts";
import { type Api, json, nothing } from "../api.ts";
import { jsonBody, kindOf } from "../body.ts";
import { conflict, invalidInput, notFound } from "../errors.ts";
import { bulkJobModel, bulkJobResultsModel, listOf } from "../models.ts";
import { type Operation, pause, remove, restart, resume, retry, terminate, terminateRemove } from "../operations.ts";
import { integer } from "../parameters.ts";
import { sendValue } from "../reply.ts";

const MOST_RESULTS = 5000;

/** What a job can do, by the names of the bulk endpoints. */
const actions: Readonly<Record<string, (options: NewJob["options"]) => Operation>> = {
  pause: () => pause,
  resume: () => resume,
  restart: ({ useLatestDefinitions }) => restart(useLatestDefinitions === true),
  retry: ({ resumeSubworkflowTasks }) => retry(resumeSubworkflowTasks === true),
  terminate: ({ reason, triggerFailureWorkflow }) => terminate(textOf(reason), triggerFailureWorkflow === true),
  remove: ({ archiveWorkflow }) => remove(archiveWorkflow !== false),
  "terminate-remove": ({ archiveWorkflow, reason }) => terminateRemove(archiveWorkflow !== false, textOf(reason)),
};

const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** The operation a job stands for; an unknown action is a 400. */
export function operationOf({ action, options }: Pick<BulkJob, "action" | "options">): Operation {
  const make = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (make === undefined)
    throw invalidInput(`Expected action to be one of ${Object.keys(actions).join(", ")}, got ${action}`);
  return make(options);
}

const flags = ["useLatestDefinitions", "resumeSubworkflowTasks", "triggerFailureWorkflow", "archiveWorkflow"] as const;

const jobRequest: Schema = {
  type: "object",
  required: ["action", "query"],
  properties: {
    action: { type: "string", enum: Object.keys(actions) },
    query: { type: "string", description: "As for a search; it decides which executions the job is about" },
    freeText: { type: "string" },
    reason: { type: "string" },
    ...Object.fromEntries(flags.map((name) => [name, { type: "boolean" }])),
  },
};

/** Operations on everything that matches a query, in the background. */
export function workflowBulkJobRoutes(api: Api, jobs: BulkJobs, stopping: AbortSignal): void {
  api.post(
    "/workflow/bulk/jobs",
    {
      summary: "Do something to all executions that match a query",
      description:
        "A background job: it survives a restart of the server, does nothing twice, and leaves executions alone that start after it.",
      body: jsonBody(jobRequest, "What to do, and to which executions"),
      answers: { 200: json(bulkJobModel, "The job, under way") },
    },
    async ({ body }, reply) => sendValue(reply, await jobs.create(readJob(body))),
  );

  api.get(
    "/workflow/bulk/jobs",
    { summary: "Background jobs", answers: { 200: json(listOf(bulkJobModel), "Newest first") } },
    async (_call, reply) => sendValue(reply, await jobs.list()),
  );

  // A look at a stream must not open one.
  api.head("/workflow/bulk/jobs/stream", (reply) => reply.header("content-type", "text/event-stream").send());

  api.withRequest(
    "GET",
    "/workflow/bulk/jobs/stream",
    {
      summary: "Watch background jobs",
      description:
        "First an event `jobs`: all of them, newest first. Then `job`: how one stands, whenever it got further; and `forgotten`: the id of one that is no more.",
      answers: {
        200: { description: "Events, until you hang up", contentType: "text/event-stream", schema: { type: "string" } },
      },
    },
    async (_call, reply) => {
      const stream = new EventStream(reply, stopping);
      const send = ({ jobId, job }: JobChange): void =>
        stream.send(
          job === undefined
            ? eventText("forgotten", Date.now(), JSON.stringify({ jobId }))
            : eventText("job", job.updateTime, JSON.stringify(job)),
        );
      // What happens while the list is read is sent after it: the list may be older.
      let missed: JobChange[] | undefined = [];
      stream.onClose(jobs.watch((change) => (missed === undefined ? send(change) : missed.push(change))));
      stream.begin();
      stream.send(eventText("jobs", Date.now(), JSON.stringify(await jobs.list())));
      for (const change of missed) send(change);
      missed = undefined;
      return reply;
    },
  );

  const load = async (jobId: string): Promise<BulkJob> => {
    const job = await jobs.find(jobId);
    if (job === undefined) throw notFound(`No such bulk job found by id: ${jobId}`);
    return job;
  };

  api.get(
    "/workflow/bulk/jobs/:jobId",
    { summary: "One background job", answers: { 200: json(bulkJobModel, "How far it is") } },
    async ({ params: { jobId } }, reply) => sendValue(reply, await load(jobId)),
  );

  api.get(
    "/workflow/bulk/jobs/:jobId/results",
    {
      summary: "What a background job did",
      query: {
        start: integer(0, "Results to pass over"),
        size: integer(100, `At most this many, and ${MOST_RESULTS}`),
      },
      answers: { 200: json(bulkJobResultsModel, "One entry per execution, with the error if there was one") },
    },
    async ({ params: { jobId }, query: { start, size } }, reply) => {
      await load(jobId);
      return sendValue(reply, await jobs.results(jobId, Math.max(0, start), Math.min(MOST_RESULTS, Math.max(0, size))));
    },
  );

  api.post(
    "/workflow/bulk/jobs/:jobId/cancel",
    { summary: "Cancel a background job", answers: { 200: nothing("What is left is not done") } },
    async ({ params: { jobId } }, reply) => {
      const { status } = await load(jobId);
      if (!(await jobs.cancel(jobId))) throw conflict(`The bulk job ${jobId} is over. Status = ${status}`);
      return reply.send();
    },
  );

  api.delete(
    "/workflow/bulk/jobs/:jobId",
    { summary: "Forget a background job that is over", answers: { 200: nothing("Forgotten") } },
    async ({ params: { jobId } }, reply) => {
      const { status } = await load(jobId);
      if (status === "RUNNING") throw conflict(`The bulk job ${jobId} is under way: cancel it first`);
      await jobs.remove(jobId);
      return reply.send();
    },
  );
}

function readJob(body: unknown): NewJob {
  if (!isJsonObject(body)) throw invalidInput(`Expected a job as body, got ${kindOf(body)}`);
  const query = requiredText(body, "query");
  const { freeText, reason } = body;
  return {
    action: requiredText(body, "action"),
    query,
    freeText: typeof freeText === "string" ? freeText : "*",
    options: {
      ...(typeof reason === "string" ? { reason } : {}),
      ...Object.fromEntries(flags.flatMap((name) => (typeof body[name] === "boolean" ? [[name, body[name]]] : []))),
    },
  };
}

function requiredText(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== "string" || value.trim() === "")
    throw invalidInput(`Expected ${name} to be a text that is not empty`);
  return value;
}
