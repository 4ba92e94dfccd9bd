import { isExecutionId, type JsonObject } from "@downbeat/engine";
import { type Api, EventStream, flag, mapBody, noSuchWorkflow, nothing, type Runtime } from "@downbeat/server";
import { readFrameworkEvent } from "../stream/framework-event.ts";
import type { RunStreams } from "../stream/run-streams.ts";

const types =
  "thinking, tool_call, tool_result, handoff, waiting, guardrail_pass, guardrail_fail, error, done, context_condensed, subagent_start and subagent_stop";

/** Watching runs, and telling those who watch what a framework's worker does. */
export function streamRoutes(api: Api, runtime: Runtime, streams: RunStreams): void {
  const find = async (id: string): Promise<void> => {
    if (!isExecutionId(id) || (await runtime.loadHead(id)) === undefined) throw noSuchWorkflow(id);
  };

  // A look at a stream must not open one.
  api.head("/agent/stream/:id", (reply) => reply.header("content-type", "text/event-stream").send());

  api.withRequest(
    "GET",
    "/agent/stream/:id",
    {
      summary: "Watch a run",
      description: `Events from the beginning of the run, then as they happen, to its end: ${types}. With Last-Event-ID those after that one: each comes once.`,
      query: { tokens: flag(false, "Also what models say while they say it, as events `token` without a number") },
      answers: {
        200: { description: "Events", contentType: "text/event-stream", schema: { type: "string" } },
      },
    },
    async ({ params: { id }, query, request }, reply) => {
      await find(id);
      const given = request.headers["last-event-id"];
      const lastEventId = typeof given === "string" && /^\d{1,15}$/.test(given) ? Number(given) : 0;
      // A server that stops has not seen the run's end: whoever watches must not take it for one.
      const hangUp = () => reply.raw.destroy();
      runtime.stopping.addEventListener("abort", hangUp, { once: true });
      const stream = new EventStream(reply, runtime.stopping);
      stream.onClose(() => runtime.stopping.removeEventListener("abort", hangUp));
      try {
        await streams.watch(id, stream, { lastEventId, hasTokens: query.tokens });
      } catch (error) {
        // The answer has begun: whoever watches sees it break off, and comes back.
        runtime.log.error("A stream of a run broke off", { id, error: String(error) });
        hangUp();
      }
      return reply;
    },
  );

  api.post(
    "/agent/events/:id",
    {
      summary: "Tell those who watch a run what a framework's worker does",
      description:
        "Of the types thinking, tool_call, tool_result, context_condensed, subagent_start, subagent_stop; others are ignored.",
      body: mapBody("The event"),
      answers: { 200: nothing("Taken") },
    },
    async ({ params: { id }, body }, reply) => {
      const event = readFrameworkEvent(body as JsonObject, id, runtime.clock());
      const isKnown = isExecutionId(id) && (await runtime.loadHead(id)) !== undefined;
      if (event !== undefined && isKnown) await streams.post(id, event);
      return reply.send();
    },
  );
}
