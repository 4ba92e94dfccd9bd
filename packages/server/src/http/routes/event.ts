import type { Problem } from "@downbeat/engine";
import type { EventHandlers, NamedHandler } from "../../events/event-handlers.ts";
import { type EventHandler, eventHandlerModel } from "../../events/handler.ts";
import { type Api, json, nothing } from "../api.ts";
import { jsonBody } from "../body.ts";
import { assertValid, conflict, notFound } from "../errors.ts";
import { listOf } from "../models.ts";
import { flag } from "../parameters.ts";
import { sendValue } from "../reply.ts";

/** Event handlers: what happens when a workflow publishes an event. */
export function eventRoutes(api: Api, handlers: EventHandlers): void {
  const found = { 200: json(listOf(eventHandlerModel), "Oldest first") };
  const noSuchHandler = (name: string) => notFound(`EventHandler with name ${name} not found!`);

  api.get("/event", { summary: "All event handlers", answers: found }, (_call, reply) =>
    sendValue(reply, handlers.all()),
  );

  api.get(
    "/event/:event",
    {
      summary: "Handlers for an event",
      query: { activeOnly: flag(true, "Only those that are active") },
      answers: found,
    },
    ({ params: { event }, query: { activeOnly } }, reply) => sendValue(reply, handlers.of(event, activeOnly)),
  );

  api.get(
    "/event/handler/:name",
    { summary: "One event handler", answers: { 200: json(eventHandlerModel, "The handler") } },
    ({ params: { name } }, reply) => {
      const handler = handlers.find(name);
      if (handler === undefined) throw noSuchHandler(name);
      return sendValue(reply, handler);
    },
  );

  api.post(
    "/event",
    {
      summary: "Create an event handler, or several",
      body: jsonBody({ anyOf: [eventHandlerModel, listOf(eventHandlerModel)] }, "A handler, or a list of them"),
      answers: { 200: nothing("Created") },
    },
    async ({ body }, reply) => {
      const given = (Array.isArray(body) ? body : [body]).map((one: unknown) =>
        validated(eventHandlerModel(one, ""), "addEventHandler.arg0"),
      );
      const existing = given.find(({ name }) => handlers.has(name));
      if (existing !== undefined || !(await handlers.put(given, true)))
        throw conflict(`EventHandler with name ${existing?.name ?? given[0]?.name} already exists!`);
      return reply.send();
    },
  );

  api.put(
    "/event",
    {
      summary: "Replace an event handler",
      body: jsonBody(eventHandlerModel, "The handler"),
      answers: { 200: nothing("Replaced") },
    },
    async ({ body }, reply) => {
      const handler = validated(eventHandlerModel(body, ""), "updateEventHandler.arg0");
      if (!handlers.has(handler.name)) throw noSuchHandler(handler.name);
      await handlers.put([handler], false);
      return reply.send();
    },
  );

  api.delete(
    "/event/:name",
    { summary: "Delete an event handler", answers: { 200: nothing("Deleted") } },
    async ({ params: { name } }, reply) => {
      if (!handlers.has(name)) throw noSuchHandler(name);
      await handlers.remove(name);
      return reply.send();
    },
  );
}

function validated(handler: EventHandler, prefix: string): NamedHandler {
  const { name, event, actions } = handler;
  const problems: Problem[] = [];
  if (name === undefined || name === "") problems.push(problem(`${prefix}.name`, "Missing event handler name", name));
  if (event === undefined || event === "") problems.push(problem(`${prefix}.event`, "Missing event location", event));
  if (actions.length === 0)
    problems.push(problem(`${prefix}.actions`, "No actions specified. Please specify at-least one action", undefined));
  assertValid(problems);
  return { ...handler, name: name ?? "", event: event ?? "" };
}

const problem = (path: string, message: string, value: string | undefined): Problem => ({
  path,
  message,
  ...(value === undefined ? {} : { invalidValue: value }),
});
