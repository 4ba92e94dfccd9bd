import { Readable } from "node:stream";
import type { FastifyRequest, preParsingHookHandler, RequestPayload } from "fastify";
import { NotJson } from "../payloads/json-check.ts";
import { referenceText } from "../payloads/reference.ts";
import { ResultSplitter } from "../payloads/split-result.ts";
import { Spool } from "../payloads/spool.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { MAX_DEPTH } from "./body.ts";
import { HttpError, invalidInput } from "./errors.ts";

const GB = 1024 ** 3;

/** Bodies up to this are taken: an output over its limit fails its task, which a refused request would not. */
export const largestResult = ({ config }: Runtime): number =>
  Math.max(GB, config["service.server.body-limit"], 2 * config["service.app.maxTaskOutputPayloadSizeThreshold"]);

/**
 * Takes the output out of a large task result while it arrives, and leaves the path it lies at in its place: from there
 * on it is like an output that the worker handed over apart from the result.
 */
export function divideLargeResult(runtime: Runtime): preParsingHookHandler {
  const { config } = runtime;
  const small = Math.min(config["service.app.taskOutputPayloadSizeThreshold"], config["service.server.body-limit"]);
  return (request, _reply, payload, done) => {
    // A body that does not say its size may be of any.
    if (Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY) <= small) done(null, payload);
    else
      divide(runtime, payload, request).then(
        (divided) => done(null, divided),
        (error: Error) => done(error, payload),
      );
  };
}

async function divide(runtime: Runtime, payload: RequestPayload, request: FastifyRequest): Promise<RequestPayload> {
  const { config, payloads } = runtime;
  const mostRest = config["service.server.body-limit"];
  const splitter = new ResultSplitter(MAX_DEPTH);
  const spool = new Spool({
    folder: payloads.spoolFolder,
    inMemoryBytes: config["service.app.taskOutputPayloadSizeThreshold"],
    mostBytes: config["service.app.maxTaskOutputPayloadSizeThreshold"],
  });
  const body = payload as Readable;
  try {
    let received = 0;
    // Not destroyed when it is refused: its socket has yet to carry the answer.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      received += (chunk as Buffer).length;
      for (const part of splitter.write(chunk as Buffer)) await spool.write(part);
      if (splitter.restBytes > mostRest || received > largestResult(runtime))
        throw new HttpError(413, `Expected a task result of at most ${mostRest} bytes beside its outputData`);
    }
    const { rest, hasOutput } = splitter.end();
    const text = hasOutput ? await withOutput(runtime, rest, spool) : rest;
    return Object.assign(Readable.from([Buffer.from(text)]), { receivedEncodedLength: received });
  } catch (error) {
    if (!request.raw.destroyed) body.resume();
    throw error instanceof NotJson
      ? invalidInput(`Expected a JSON body, got text that cannot be read: ${error.message}`)
      : error;
  } finally {
    await spool.remove();
  }
}

/** The rest of a body with its output, or where that lies, as its last member: the last one of a name counts. */
async function withOutput({ payloads }: Runtime, rest: string, spool: Spool): Promise<string> {
  const end = rest.lastIndexOf("}");
  const add = (member: string) => `${rest.slice(0, end)},${member}${rest.slice(end)}`;
  if (spool.text !== undefined) return add(`"outputData":${spool.text}`);
  const path = spool.isTooLarge ? referenceText({ path: "", bytes: spool.bytes }) : payloads.newPath("task/output/");
  if (!spool.isTooLarge) await payloads.keep(path, await spool.source());
  return add(`"externalOutputPayloadStoragePath":${JSON.stringify(path)}`);
}
