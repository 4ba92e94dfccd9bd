import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import { Spool } from "../../payloads/spool.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { type Api, type Body, json, nothing } from "../api.ts";
import { HttpError, invalidInput, notFound } from "../errors.ts";
import { checkedChunks } from "../external-payload.ts";
import { freeObject, storageLocationModel } from "../models.ts";
import { requiredText } from "../parameters.ts";
import { type Reply, sendValue } from "../reply.ts";

const operations = new Set(["READ", "WRITE"]);
const payloadTypes = new Set(["WORKFLOW_INPUT", "WORKFLOW_OUTPUT", "TASK_INPUT", "TASK_OUTPUT"]);

const contentBody: Body<Readable> = {
  schema: freeObject,
  description: "The payload, JSON",
  required: true,
  read(body) {
    if (!(body instanceof Readable)) throw invalidInput("Expected a JSON object as payload, got none");
    return body;
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

  const locate = async ({ path, operation, payloadType }: Location, request: FastifyRequest, reply: Reply) => {
    const [what, kind] = [operation.toUpperCase(), payloadType.toUpperCase()];
    if (!operations.has(what) || !payloadTypes.has(kind)) {
      throw invalidInput(`Invalid input - Operation: ${operation}, PayloadType: ${payloadType}`);
    }
    const isWrite = what === "WRITE";
    const place = isWrite ? payloads.newPath(path) : path;
    if (!isPlain(place)) throw invalidInput(`Expected a path inside the store, got "${path.slice(0, 200)}"`);
    const uri = await payloads.store.locate?.(place, isWrite ? "WRITE" : "READ");
    return sendValue(reply, { uri: uri ?? ownUri(place, request), path: place });
  };

  for (const path of ["externalstoragelocation", "external-storage-location"] as const) {
    api.withRequest("GET", `/workflow/${path}`, declaration, ({ query, request }, reply) =>
      locate(query, request, reply),
    );
    api.withRequest("GET", `/tasks/${path}`, declaration, ({ query, request }, reply) => locate(query, request, reply));
  }

  api.withRequest(
    "GET",
    "/external-storage/*",
    { summary: "Fetch a payload", answers: { 200: json(freeObject, "The payload") } },
    async ({ request }, reply) => {
      const path = pathOf(request);
      const found = isPlain(path) ? await payloads.store.find(path) : undefined;
      if (found === undefined) throw notFound(`No payload found at ${path}`);
      return reply.header("content-type", "application/json").header("content-length", found.bytes).send(found.stream);
    },
  );
}

/** Putting a payload. The bodies of these routes are streams. */
export function externalContentRoutes(api: Api, { payloads, config }: Runtime): void {
  const most = Math.max(
    config["service.server.body-limit"],
    config["service.app.maxWorkflowInputPayloadSizeThreshold"],
    config["service.app.maxTaskOutputPayloadSizeThreshold"],
  );

  api.withRequest(
    "PUT",
    "/external-storage/*",
    { summary: "Put a payload", body: contentBody, answers: { 200: nothing("Kept") } },
    async ({ body, request }, reply) => {
      const path = pathOf(request);
      const spool = new Spool({ folder: payloads.spoolFolder, inMemoryBytes: 0, mostBytes: most });
      try {
        // Not destroyed when it is refused: its socket has yet to carry the answer.
        for await (const chunk of checkedChunks(body.iterator({ destroyOnReturn: false }), path)) {
          await spool.write(chunk);
          if (spool.isTooLarge) throw new HttpError(413, `Expected a payload of at most ${most} bytes`);
        }
        if (!isPlain(path) || !(await payloads.keep(path, await spool.source())))
          throw invalidInput(`Expected a path that a file can have, got "${path.slice(0, 200)}"`);
        return reply.send();
      } catch (error) {
        if (!request.raw.destroyed) body.resume();
        throw error;
      } finally {
        await spool.remove();
      }
    },
  );
}

const pathOf = (request: FastifyRequest): string => (request.params as { readonly "*": string })["*"];

/** A path that leads down, in every store. */
const isPlain = (path: string): boolean =>
  path !== "" &&
  !path.includes("\0") &&
  !path.startsWith("/") &&
  !path.split("/").some((part) => part === ".." || part === ".");

function ownUri(place: string, { protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}/api/external-storage/${place.split("/").map(encodeURIComponent).join("/")}`;
}
