import type { Overview } from "../../overview/overview.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { EventStream } from "../../streams/event-stream.ts";
import { MetadataStream } from "../../streams/metadata-stream.ts";
import { type Api, json } from "../api.ts";
import { answerModel, listOf, wholeNumber } from "../models.ts";
import { sendValue } from "../reply.ts";

const time = { ...wholeNumber, description: "Epoch milliseconds; 0 when there is none" };

const overviewModel = answerModel("Overview", {
  now: time,
  since: { ...time, description: "From when on minutes and definitions are counted: the start of the server" },
  running: wholeNumber,
  paused: wholeNumber,
  waiting: { ...wholeNumber, description: "Tasks that wait for workers" },
  nextTimer: time,
  minutes: listOf(
    answerModel("OverviewMinute", {
      at: time,
      started: wholeNumber,
      completed: wholeNumber,
      failed: wholeNumber,
      terminated: wholeNumber,
    }),
  ),
  queues: listOf(
    answerModel("OverviewQueue", {
      name: { type: "string" },
      size: wholeNumber,
      oldestWaitMs: wholeNumber,
      lastPollTime: time,
      workerId: { type: "string", description: "Who asked last" },
    }),
  ),
  definitions: listOf(
    answerModel("OverviewDefinition", {
      name: { type: "string" },
      ended: wholeNumber,
      failed: wholeNumber,
      averageMs: wholeNumber,
      longestMs: wholeNumber,
    }),
  ),
});

/** How the whole is doing, and what was changed. */
export function overviewRoutes(api: Api, runtime: Runtime, overview: Overview): void {
  const metadata = new MetadataStream(runtime);

  api.get(
    "/admin/overview",
    {
      summary: "How the server is doing",
      description:
        "What runs and waits now, what began and ended in the last hour, and which definitions took longest.",
      answers: { 200: json(overviewModel, "As of now") },
    },
    async (_call, reply) => sendValue(reply, await overview.read()),
  );

  // A look at a stream must not open one.
  api.head("/admin/overview/stream", (reply) => reply.header("content-type", "text/event-stream").send());

  api.withRequest(
    "GET",
    "/admin/overview/stream",
    {
      summary: "Watch how the server is doing",
      description:
        "Events `overview`: the whole of it at once, then again when something was committed, at most once a second.",
      answers: {
        200: { description: "Events, until you hang up", contentType: "text/event-stream", schema: { type: "string" } },
      },
    },
    async (_call, reply) => {
      await overview.watch(new EventStream(reply, runtime.stopping));
      return reply;
    },
  );

  api.head("/admin/metadata/stream", (reply) => reply.header("content-type", "text/event-stream").send());

  api.withRequest(
    "GET",
    "/admin/metadata/stream",
    {
      summary: "Watch what is changed by others",
      description:
        "Events `metadata` with `kind` (workflowDef, taskDef, schedule, eventHandler, secret or skill) and `name`, where it is known, whenever one is stored or removed. Nothing is repeated for those who come late.",
      answers: {
        200: { description: "Events, until you hang up", contentType: "text/event-stream", schema: { type: "string" } },
      },
    },
    (_call, reply) => {
      metadata.watch(new EventStream(reply, runtime.stopping));
      return reply;
    },
  );
}
