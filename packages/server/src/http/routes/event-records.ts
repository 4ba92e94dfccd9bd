import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import type { Effect } from "../../events/actions.ts";
import type { Receipt } from "../../events/event-bus.ts";
import type { ActionRecord, MessageRecord } from "../../events/records.ts";
import { reasonOf } from "../../outbound/reason-of.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, json, nothing } from "../api.ts";
import { jsonBody, kindOf } from "../body.ts";
import { invalidInput, notFound } from "../errors.ts";
import {
  connectivityModel,
  deadLetterPageModel,
  dryRunModel,
  eventExecutionModel,
  eventMessageModel,
  handledEventsModel,
  listOf,
  receiptModel,
  subscriptionModel,
} from "../models.ts";
import { integer } from "../parameters.ts";
import { sendValue } from "../reply.ts";

const page = {
  from: integer(0, "Those from this time on, epoch milliseconds"),
  start: integer(0, "How many to leave out"),
  size: integer(100, "How many to give; 1000 at most"),
};
const MOST = 1000;

type PageQuery = { readonly from: number; readonly start: number; readonly size: number };

const pageOf = ({ from, start, size }: PageQuery) => ({
  from: Math.max(0, from),
  start: Math.max(0, start),
  limit: Math.min(MOST, Math.max(0, size)),
});

/** What became of messages: looking at it, trying it out, doing it again. */
export function eventRecordRoutes(api: Api, runtime: Runtime): void {
  const { events } = runtime;
  const { handlers, records, bus, subscriptions, sinks } = events;

  const findMessage = async (event: string, messageId: string): Promise<MessageRecord> => {
    const message = await records.findMessage(event, messageId);
    if (message === undefined) throw notFound(`No message found with id: ${messageId}, event: ${event}`);
    return message;
  };

  const stats = () =>
    Promise.all(
      handlers.all().map(async ({ name, event, active, actions }) => {
        const numberOfActions = await records.countExecutions(name);
        // Messages of EVENT tasks are kept under their long name: then what was done about them tells.
        const numberOfMessages =
          (await records.countMessages(event)) || Math.ceil(numberOfActions / Math.max(1, actions.length));
        return { name, event, active, numberOfMessages, numberOfActions };
      }),
    );

  api.get(
    "/event/execution",
    { summary: "Handlers that have done something", answers: { 200: json(handledEventsModel, "With how much") } },
    async (_call, reply) => {
      const results = (await stats()).filter(({ numberOfActions }) => numberOfActions > 0);
      return sendValue(reply, { totalHits: results.length, results });
    },
  );

  api.get(
    "/event/execution/:handler",
    {
      summary: "What a handler did",
      query: page,
      answers: { 200: json(listOf(eventExecutionModel), "Newest first") },
    },
    async ({ params: { handler }, query }, reply) => {
      const eventHandler = handlers.find(handler);
      const found = await records.executions(handler, pageOf(query));
      const shown = found.map(async (record) => {
        const message = await records.findMessage(record.event, record.messageId);
        return {
          ...executionShown(record),
          ...(eventHandler === undefined ? {} : { eventHandler }),
          payload: message?.payload ?? null,
          fullMessagePayload: message?.payload ?? null,
        };
      });
      return sendValue(reply, await Promise.all(shown));
    },
  );

  api.get(
    "/event/message",
    {
      summary: "Handlers, and how many messages they had",
      answers: { 200: json(handledEventsModel, "With how much") },
    },
    async (_call, reply) => {
      const results = await stats();
      return sendValue(reply, { totalHits: results.length, results });
    },
  );

  api.get(
    "/event/message/:event",
    {
      summary: "Messages of an event",
      query: page,
      answers: { 200: json(listOf(eventMessageModel), "Newest first") },
    },
    async ({ params: { event }, query }, reply) => {
      const messages = await records.messages(event, pageOf(query));
      const shown = messages.map(async (message) => ({
        id: message.messageId,
        eventTarget: message.event,
        eventType: "MESSAGE",
        payload: message.payload,
        fullPayload: message.payload,
        createdAt: message.created,
        status: message.status,
        ...(message.statusDescription === undefined ? {} : { statusDescription: message.statusDescription }),
        ...(message.replayOf === undefined ? {} : { replayOf: message.replayOf }),
        eventExecutions: (await records.executionsOf(message)).map(executionShown),
      }));
      return sendValue(reply, await Promise.all(shown));
    },
  );

  api.post(
    "/event/message/:event/:messageId/replay",
    {
      summary: "Handle a message again",
      description: "As a message of its own, by the handlers there are now.",
      answers: { 200: json(receiptModel, "What became of it") },
    },
    async ({ params: { event, messageId } }, reply) => {
      const message = await findMessage(event, messageId);
      return sendValue(reply, receiptShown(await events.replay(message)));
    },
  );

  api.post(
    "/event/dry-run",
    {
      summary: "What handlers would do about a message",
      description: "Nothing is done and nothing is written down.",
      body: jsonBody(incomingSchema, "The event, and the message or the id of one that came before"),
      answers: { 200: json(dryRunModel, "Every handler of the event") },
    },
    async ({ body }, reply) => {
      const { event, payload, messageId } = readIncoming(body);
      const kept = messageId === undefined ? undefined : await findMessage(event, messageId);
      const message = { event, messageId: messageId ?? "dry-run", payload: kept?.payload ?? payload };
      const previews = await bus.preview(message);
      const shown = previews.map(({ actions, ...rest }) => ({
        ...rest,
        actions: actions.map(({ action, effect, error }) => ({
          action,
          ...(effect === undefined ? {} : { would: effectShown(effect) }),
          ...(error === undefined ? {} : { error }),
        })),
      }));
      return sendValue(reply, { event, handlers: shown });
    },
  );

  api.post(
    "/event/handleIncomingEvent",
    {
      summary: "Hand in a message",
      description:
        "As if it had come from the event's queue. A messageId that was handed in before is not handled again.",
      body: jsonBody(incomingSchema, "The event and the message; without a payload, the body itself is the message"),
      answers: { 200: json(receiptModel, "What became of it") },
    },
    async ({ body }, reply) => {
      const { event, payload, messageId } = readIncoming(body);
      const receipt = await bus.receive({
        event,
        messageId: messageId ?? runtime.newExecutionId(),
        payload,
        ...(messageId === undefined ? {} : { guard: messageId }),
      });
      return sendValue(reply, receiptShown(receipt));
    },
  );

  api.get(
    "/event/subscription",
    {
      summary: "Broker queues the server listens to",
      answers: { 200: json(listOf(subscriptionModel), "One for each queue that active handlers name") },
    },
    (_call, reply) => sendValue(reply, [...subscriptions.states(), ...events.statusQueues.states()]),
  );

  api.post(
    "/event/queue/connectivity",
    {
      summary: "Publish something to a sink",
      body: jsonBody(
        { type: "object", required: ["sink"], properties: { sink: { type: "string" }, input: freeMap } },
        "The sink, and what to publish",
      ),
      answers: { 200: json(connectivityModel, "Whether the broker took it") },
    },
    async ({ body }, reply) => {
      const { sink, input } = objectOf(body);
      if (typeof sink !== "string" || sink === "") throw invalidInput("Expected sink to be a text");
      try {
        await sinks.publish(sink, { id: runtime.newExecutionId(), text: JSON.stringify(input ?? {}) });
        return sendValue(reply, { successful: true });
      } catch (error) {
        return sendValue(reply, { successful: false, reason: reasonOf(error) });
      }
    },
  );

  api.get(
    "/event/dead-letter",
    {
      summary: "Messages that could not be handled",
      query: { start: page.start, size: page.size },
      answers: { 200: json(deadLetterPageModel, "Newest first") },
    },
    async ({ query }, reply) => {
      const { start, limit } = pageOf({ from: 0, ...query });
      const results = await records.deadLetters({ start, limit });
      return sendValue(reply, { totalHits: await records.countDeadLetters(), results });
    },
  );

  const findDeadLetter = async (id: string) => {
    const letter = await records.findDeadLetter(id);
    if (letter === undefined) throw notFound(`No dead letter found with id: ${id}`);
    return letter;
  };

  api.post(
    "/event/dead-letter/:letterId/replay",
    {
      summary: "Handle a dead letter again",
      description: "It is no dead letter any more; if it fails again there is a new one.",
      answers: { 200: json(receiptModel, "What became of it") },
    },
    async ({ params: { letterId: id } }, reply) => {
      const receipt = await events.replay(await findDeadLetter(id));
      await records.removeDeadLetter(id);
      return sendValue(reply, receiptShown(receipt));
    },
  );

  api.delete(
    "/event/dead-letter/:letterId",
    { summary: "Forget a dead letter", answers: { 200: nothing("Forgotten") } },
    async ({ params: { letterId: id } }, reply) => {
      await findDeadLetter(id);
      await records.removeDeadLetter(id);
      return reply.send();
    },
  );
}

const freeMap = { type: "object", additionalProperties: true };

const incomingSchema = {
  type: "object",
  required: ["event"],
  properties: { event: { type: "string" }, payload: {}, messageId: { type: "string" } },
  additionalProperties: true,
};

function objectOf(body: unknown): JsonObject {
  if (!isJsonObject(body)) throw invalidInput(`Expected a JSON object as body, got ${kindOf(body)}`);
  return body;
}

function readIncoming(body: unknown): { event: string; payload: Json; messageId: string | undefined } {
  const given = objectOf(body);
  const { event, payload, messageId, ...rest } = given;
  if (typeof event !== "string" || event === "") throw invalidInput("Expected event to be the name of an event");
  if (messageId !== undefined && messageId !== null && (typeof messageId !== "string" || messageId === ""))
    throw invalidInput(`Expected messageId to be a text, got ${kindOf(messageId)}`);
  return {
    event,
    payload: payload === undefined ? rest : payload,
    messageId: typeof messageId === "string" ? messageId : undefined,
  };
}

const receiptShown = ({ isDuplicate, records }: Receipt) => ({
  duplicate: isDuplicate,
  eventExecutions: records.map(executionShown),
});

const executionShown = (record: ActionRecord) => ({
  ...record,
  ...(record.status === "FAILED" ? { statusDescription: String(record.output["exception"] ?? "") } : {}),
});

/** What would happen to which execution. */
function effectShown({ target, event }: Effect): JsonObject {
  switch (event.kind) {
    case "start":
      return {
        start: event.workflowName,
        version: event.workflowVersion,
        input: event.input.value,
        ...(event.correlationId === undefined ? {} : { correlationId: event.correlationId }),
        ...(event.taskToDomain === undefined ? {} : { taskToDomain: event.taskToDomain }),
      };
    case "task-result":
      return {
        workflowId: target,
        taskNumber: event.no,
        status: event.result.status,
        output: event.result.output?.value ?? {},
      };
    case "terminate":
      return { workflowId: target, status: "TERMINATED", reason: event.reason ?? null };
    case "set-variables":
      return { workflowId: target, variables: event.variables, appendArray: event.appendArray === true };
    default:
      return { workflowId: target, what: event.kind };
  }
}
