import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { FileRecord } from "../../files/file-record.ts";
import type { Files } from "../../files/files.ts";
import { type LocalFiles, TooLarge } from "../../files/local.ts";
import { notAccepting } from "../../files/open-storage.ts";
import type { UrlPurpose } from "../../files/url-signer.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Api, Body } from "../api.ts";
import { nothing } from "../api.ts";
import { HttpError, invalidInput, notFound } from "../errors.ts";
import { text } from "../parameters.ts";

/** An upload that says nothing for so long is over. */
const IDLE_MS = 60_000;
/** How long the rest of an upload is read that was refused, so that the client gets to read why. */
const DRAIN_MS = 30_000;

const anyBytes: Body<Readable> = {
  schema: { type: "string", format: "binary" },
  description: "The bytes, of any content type",
  required: true,
  contentType: "application/octet-stream",
  read: (body) => (body instanceof Readable ? body : Readable.from([])),
};

const signature = {
  op: text("upload or download"),
  exp: text("Until when, epoch seconds"),
  kid: text("Which key signed it"),
  sig: text("The signature"),
};

/** Bodies of these routes are bytes on their way to disk: nobody may collect them. */
export function takeBodiesAsStreams(app: FastifyInstance): void {
  // What cannot be read as a content type is no reason to refuse bytes.
  app.addHook("onRequest", (request, _reply, done) => {
    request.headers["content-type"] &&= "application/octet-stream";
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, body, done) => done(null, body));
}

/** The bytes of files that this server keeps itself: what upload and download URLs lead to. */
export function fileContentRoutes(api: Api, files: Files, { clock }: Runtime): void {
  type Place = { readonly workflowId: string; readonly fileId: string };

  const open = async (place: Place, query: Record<string, string | undefined>, purpose: UrlPurpose) => {
    const { local } = files;
    if (local === undefined) throw notFound("Files are not kept on this server: use the URL of the storage backend");
    if (local.signer !== undefined) {
      const granted = local.signer.verify(query, place, clock());
      if (granted === undefined) throw new HttpError(403, "The URL is not valid, or not any more: ask for a fresh one");
      if (granted !== purpose) throw new HttpError(405, `This URL is for ${granted}s only`);
    }
    const { workflowId } = place;
    const record = await files.load(place.fileId, { workflowId, must: purpose === "upload" ? "own" : "see" });
    return { local, record };
  };

  api.withRequest(
    "PUT",
    "/files/content/:workflowId/:fileId",
    { summary: "Upload the bytes of a file", query: signature, body: anyBytes, answers: { 204: nothing("Kept") } },
    async ({ params, query, body, request }, reply) => {
      try {
        const { local, record } = await open(params, query, "upload");
        if (record.uploaded !== undefined) throw notAccepting(record.fileId);
        await receive(local, record, body, request);
        return reply.code(204).send();
      } catch (error) {
        drain(request);
        throw error;
      }
    },
  );

  api.withRequest(
    "GET",
    "/files/content/:workflowId/:fileId",
    {
      summary: "Download the bytes of a file",
      description: "One range of bytes may be asked for.",
      query: signature,
      answers: {
        200: { description: "The bytes", contentType: "application/octet-stream" },
        206: { description: "Some of them", contentType: "application/octet-stream" },
      },
    },
    async ({ params, query, request }, reply) => {
      const { local, record } = await open(params, query, "download");
      return await sendContent(local, record, request, reply);
    },
  );
}

async function receive(local: LocalFiles, record: FileRecord, body: Readable, request: FastifyRequest): Promise<void> {
  const tooLarge = () => new HttpError(413, `Upload exceeds the configured maximum size of ${local.maxBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > local.maxBytes) throw tooLarge();
  request.raw.setTimeout(IDLE_MS, () => request.raw.destroy());
  try {
    // Not destroyed when it is refused: its socket has yet to carry the answer.
    await local.write(record, body.iterator({ destroyOnReturn: false }));
  } catch (error) {
    if (error instanceof TooLarge) throw tooLarge();
    if (request.raw.destroyed && !request.raw.complete) throw invalidInput("The upload was cut off");
    throw error;
  } finally {
    request.raw.setTimeout(0);
  }
}

function drain({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return;
  raw.resume();
  const giveUp = setTimeout(() => raw.destroy(), DRAIN_MS);
  giveUp.unref();
  raw.once("close", () => clearTimeout(giveUp));
  raw.once("end", () => clearTimeout(giveUp));
}

async function sendContent(
  local: LocalFiles,
  record: FileRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { fileId, uploaded, contentType, fileName } = record;
  if (uploaded === undefined) throw invalidInput(`File has not been uploaded: ${fileId}`);
  const { size, hash } = uploaded;
  reply
    .header("content-type", contentType ?? "application/octet-stream")
    .header("accept-ranges", "bytes")
    .header("etag", `"${hash}"`)
    // What someone uploaded is not a page of this server.
    .header("x-content-type-options", "nosniff")
    .header("content-disposition", `attachment; filename*=UTF-8''${encodeName(fileName ?? fileId)}`);
  const range = readRange(request.headers.range, size);
  if (range === "outside") {
    throw new HttpError(416, `Expected a range inside the ${size} bytes of the file`);
  }
  const bytes = await local.read(record, uploaded, range);
  if (bytes === undefined) throw notFound(`File not found: ${fileId}`);
  if (range === undefined) return reply.header("content-length", size).send(bytes);
  return reply
    .code(206)
    .header("content-range", `bytes ${range.start}-${range.end}/${size}`)
    .header("content-length", range.end - range.start + 1)
    .send(bytes);
}

/** One range; several, or what cannot be read, count as none. */
function readRange(header: string | undefined, size: number): { start: number; end: number } | "outside" | undefined {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start > end ? "outside" : { start, end };
}

const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
