import {
  type Api,
  flag,
  mapBody,
  nothing,
  type Operation,
  optionsBody,
  pause,
  plainText,
  type Reply,
  type Runtime,
  remove,
  rerun,
  rerunRequest,
  restart,
  resume,
  retry,
  sendText,
  terminate,
  text,
  textOr,
} from "@downbeat/server";
import { respond, signal, signalText, stop } from "../run/control.ts";

/** What is done to one run from outside. */
export function controlRoutes(api: Api, runtime: Runtime): void {
  const answers = { 200: nothing() };
  const operate = async (operation: Operation, id: string, reply: Reply): Promise<Reply> => {
    await operation(runtime, id);
    return reply.send();
  };

  api.post(
    "/agent/:id/respond",
    {
      summary: "Answer the question a run waits at",
      description:
        "An approval: `approved`, `reason`. A human tool: `message`. Where the run itself asks nothing, the only question inside it is answered.",
      body: mapBody("The answer"),
      answers,
    },
    async ({ params, body }, reply) => {
      await respond(runtime, params.id, body);
      return reply.send();
    },
  );

  api.post(
    "/agent/:id/signal",
    {
      summary: "Tell an agent something while it works",
      description: "Added to its prompt from the next turn on, until it is told something else; empty ends it.",
      body: optionsBody({ type: "object", properties: { message: { type: "string" } } }, "What to tell it"),
      answers,
    },
    async ({ params, body }, reply) => {
      await signal(runtime, params.id, signalText(body));
      return reply.send();
    },
  );

  api.post(
    "/agent/:id/stop",
    { summary: "Let a run end after the turn it is in", answers },
    async ({ params }, reply) => {
      await stop(runtime, params.id);
      return reply.send();
    },
  );

  api.put("/agent/:id/pause", { summary: "Pause a run", answers }, ({ params }, reply) =>
    operate(pause, params.id, reply),
  );

  api.put("/agent/:id/resume", { summary: "Resume a paused run", answers }, ({ params }, reply) =>
    operate(resume, params.id, reply),
  );

  api.delete(
    "/agent/:id/cancel",
    {
      summary: "End a run now, with everything inside it",
      query: { reason: textOr("Cancelled by user", "Kept as reasonForIncompletion") },
      answers,
    },
    ({ params, query }, reply) => operate(terminate(query.reason), params.id, reply),
  );

  api.post(
    "/agent/executions/:id/restart",
    {
      summary: "Start an ended run anew",
      query: { useLatestDefinitions: flag(false, "With the latest version instead of its own") },
      answers,
    },
    ({ params, query }, reply) => operate(restart(query.useLatestDefinitions), params.id, reply),
  );

  api.post(
    "/agent/executions/:id/retry",
    {
      summary: "Try what failed in an ended run again",
      query: { resumeSubworkflowTasks: flag(false, "Go on inside runs that failed instead of starting new ones") },
      answers,
    },
    ({ params, query }, reply) => operate(retry(query.resumeSubworkflowTasks), params.id, reply),
  );

  api.post(
    "/agent/executions/:id/rerun",
    {
      summary: "Run an ended run again from one of its tasks",
      body: optionsBody(rerunRequest, "From where, and with what"),
      answers: { 200: plainText("Id of the run") },
    },
    async ({ params, body }, reply) => {
      await rerun(runtime, params.id, body);
      return sendText(reply, params.id);
    },
  );

  api.delete(
    "/agent/executions/:id",
    { summary: "Terminate a run", query: { reason: text("Kept as reasonForIncompletion") }, answers },
    ({ params, query }, reply) => operate(terminate(query.reason), params.id, reply),
  );

  api.delete(
    "/agent/executions/:id/record",
    {
      summary: "Remove a run for good",
      query: { archiveTasks: flag(false, "Keep its summary in search") },
      answers,
    },
    ({ params, query }, reply) => operate(remove(query.archiveTasks), params.id, reply),
  );
}
