import { isJsonObject } from "@downbeat/engine";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, type Body, json, nothing } from "../api.ts";
import { kindOf, parseJson } from "../body.ts";
import { invalidInput, notFound } from "../errors.ts";
import { freeObject, storageLocationModel } from "../models.ts";
import { requiredText } from "../parameters.ts";
import { sendValue } from "../reply.ts";

const operations = new Set(["READ", "WRITE"]);
const payloadTypes = new Set(["WORKFLOW_INPUT", "WORKFLOW_OUTPUT", "TASK_INPUT", "TASK_OUTPUT"]);

const contentBody: Body<string> = {
  schema: freeObject,
  description: "The payload, JSON",
  required: true,
  read(body) {
    const payload = parseJson(body);
    if (!isJsonObject(payload)) throw invalidInput(`Expected a JSON object as payload, got ${kindOf(payload)}`);
    return JSON.stringify(payload);
  },
};

/** Where clients put payloads that are too large for a request, and fetch them. */
export function externalStorageRoutes(api: Api, runtime: Runtime): void {
  const { payloads } = runtime;
  const declaration = {
    summary: "Where to put or fetch a payload",
    query: {
      path: requiredText("Where the client would like it"),
      operation: requiredText("READ or WRITE"),
      payloadType: requiredText("WORKFLOW_INPUT, WORKFLOW_OUTPUT, TASK_INPUT or TASK_OUTPUT"),
    },
    answers: { 200: json(storageLocationModel, "A URL that takes PUT and GET, and the path to name it by") },
  };

  type Location = { readonly path: string; readonly operation: string; readonly payloadType: string };

  const locate = ({ path, operation, payloadType }: Location, request: FastifyRequest, reply: FastifyReply) => {
    if (!operations.has(operation.toUpperCase()) || !payloadTypes.has(payloadType.toUpperCase())) {
      throw invalidInput(`Invalid input - Operation: ${operation}, PayloadType: ${payloadType}`);
    }
    const place = operation.toUpperCase() === "WRITE" ? payloads.newPath(path) : path;
    if (!payloads.isInside(place)) throw invalidInput(`Expected a path inside the store, got "${path.slice(0, 200)}"`);
    const encoded = place.split("/").map(encodeURIComponent).join("/");
    const uri = `${request.protocol}://${request.host}/api/external-storage/${encoded}`;
    return sendValue(reply, { uri, path: place });
  };

  for (const path of ["externalstoragelocation", "external-storage-location"] as const) {
    api.get(`/workflow/${path}`, declaration, ({ query, request }, reply) => locate(query, request, reply));
    api.get(`/tasks/${path}`, declaration, ({ query, request }, reply) => locate(query, request, reply));
  }

  const pathOf = (request: FastifyRequest) => (request.params as { readonly "*": string })["*"];

  api.put(
    "/external-storage/*",
    { summary: "Put a payload", body: contentBody, answers: { 200: nothing("Kept") } },
    async ({ body, request }, reply) => {
      const path = pathOf(request);
      if (!(await payloads.put(path, body)))
        throw invalidInput(`Expected a path that a file can have, got "${path.slice(0, 200)}"`);
      return reply.send();
    },
  );

  api.get(
    "/external-storage/*",
    { summary: "Fetch a payload", answers: { 200: json(freeObject, "The payload") } },
    async ({ request }, reply) => {
      const path = pathOf(request);
      const found = await payloads.find(path);
      if (found === undefined) throw notFound(`No payload found at ${path}`);
      return reply.header("content-type", "application/json").header("content-length", found.size).send(found.stream);
    },
  );
}
