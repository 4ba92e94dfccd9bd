import { isExecutionId } from "@downbeat/engine";
import type { FastifyRequest } from "fastify";
import type { Runtime } from "../../runtime/runtime.ts";
import { workflowFields } from "../../search/fields.ts";
import { parseQuery } from "../../search/query.ts";
import { EventStream } from "../../streams/event-stream.ts";
import { WorkflowStreams } from "../../streams/workflow-streams.ts";
import type { Answer, Api } from "../api.ts";
import { noSuchWorkflow } from "../errors.ts";
import { flag, textOr } from "../parameters.ts";

const eventStream = (description: string): Record<number, Answer> => ({
  200: { description, contentType: "text/event-stream", schema: { type: "string" } },
});

const resumable = "A reader that comes back with Last-Event-ID hears what changed since, some of it twice.";

/** Watching executions live, by server-sent events straight from the commits. */
export function workflowStreamRoutes(api: Api, runtime: Runtime): void {
  const streams = new WorkflowStreams(runtime);

  // A look at a stream must not open one.
  for (const path of ["/workflow/:id/stream", "/workflow/stream"]) {
    api.head(path, (reply) => reply.header("content-type", "text/event-stream").send());
  }

  api.withRequest(
    "GET",
    "/workflow/:id/stream",
    {
      summary: "Watch an execution",
      description: `Events \`workflow\` and \`task\` say how the execution and its tasks stand, first as they are now, then with every change; a task is told again when a line was added to its log. \`token\` carries a piece of a model's reply while it is still coming. ${resumable}`,
      answers: eventStream("Events, until you hang up"),
    },
    async ({ params: { id }, request }, reply) => {
      const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
      if (head === undefined) throw noSuchWorkflow(id);
      await streams.watchExecution(head, new EventStream(reply, runtime.stopping), lastEventId(request));
      return reply;
    },
  );

  api.withRequest(
    "GET",
    "/workflow/stream",
    {
      summary: "Watch the executions that match a query",
      description: `Events \`workflow\` for every change of status, \`task\` too where asked for. ${resumable} \`reset\` says that too much has changed to tell.`,
      query: {
        query: textOr("", "As for a search; all executions when left out"),
        includeTasks: flag(false, "Changes of tasks too"),
      },
      answers: eventStream("Events, until you hang up"),
    },
    async ({ query: { query: text, includeTasks }, request }, reply) => {
      const where = parseQuery(text, workflowFields);
      const stream = new EventStream(reply, runtime.stopping);
      await streams.watchQuery({ text, where, includeTasks }, stream, lastEventId(request));
      return reply;
    },
  );
}

function lastEventId({ headers }: FastifyRequest): number | undefined {
  const given = headers["last-event-id"];
  return typeof given === "string" && /^\d{1,15}$/.test(given) ? Number(given) : undefined;
}
