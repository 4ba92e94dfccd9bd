import { isJsonObject, type Model, model, optionalText, type Schema, textOr as textFieldOr } from "@downbeat/engine";
import type { FastifyRequest } from "fastify";
import type { FileRecord } from "../../files/file-record.ts";
import { uploadStatus } from "../../files/file-record.ts";
import type { SignedUrl } from "../../files/file-storage.ts";
import type { Caller, Files, NewFile } from "../../files/files.ts";
import { type Api, json, nothing } from "../api.ts";
import { jsonBody, kindOf, parseJson } from "../body.ts";
import { invalidInput } from "../errors.ts";
import { answerModel, listOf, texts, wholeNumber } from "../models.ts";
import { integer, textOr } from "../parameters.ts";
import { type Reply, sendValue } from "../reply.ts";

const MAX_WORKFLOW_ID = 255;
const MAX_NAME = 1024;
const MAX_PARTS = 10_000;
const MOST_LISTED = 500;

const string = { type: "string" };
const time = { type: "integer", format: "int64", description: "Epoch milliseconds" };
const status: Schema = { type: "string", enum: ["UPLOADING", "UPLOADED"] };

const uploadModel = answerModel(
  "FileUpload",
  {
    fileHandleId: string,
    storageType: string,
    uploadStatus: status,
    uploadUrl: string,
    uploadUrlExpiresAt: time,
    createdAt: time,
  },
  { fileName: string, contentType: string },
);
const uploadUrlModel = answerModel("FileUploadUrl", { fileHandleId: string, uploadUrl: string, expiresAt: time });
const downloadUrlModel = answerModel("FileDownloadUrl", { fileHandleId: string, downloadUrl: string, expiresAt: time });
const confirmedModel = answerModel("FileConfirmed", {
  fileHandleId: string,
  uploadStatus: status,
  contentHash: string,
});
const metadataModel = answerModel(
  "FileMetadata",
  {
    fileHandleId: string,
    fileSize: { type: "integer", format: "int64", description: "Bytes; 0 until the upload is confirmed" },
    storageType: string,
    uploadStatus: status,
    workflowId: string,
    createdAt: time,
    updatedAt: time,
  },
  { fileName: string, contentType: string, contentHash: string, taskId: string },
);
const filePageModel = answerModel("FileMetadataPage", { totalHits: wholeNumber, results: listOf(metadataModel) });
const multipartModel = answerModel("FileMultipart", {
  fileHandleId: string,
  uploadId: string,
  uploadUrl: {
    type: ["string", "null"],
    description: "One URL that takes all parts; null where every part has its own",
  },
});

const newFileModel: Model<NewFile> = model("FileUploadRequest", () => ({
  workflowId: textFieldOr(""),
  fileName: optionalText,
  contentType: optionalText,
  taskId: optionalText,
}));

type FileParts = { readonly fileId: string; readonly workflowId?: string };

/** Files of executions. Most paths exist twice: with the calling execution in them, and without. */
export function fileRoutes(api: Api, files: Files): void {
  const own = ({ workflowId }: FileParts): Caller | undefined =>
    workflowId === undefined ? undefined : { workflowId, must: "own" };
  const see = ({ workflowId }: FileParts): Caller | undefined =>
    workflowId === undefined ? undefined : { workflowId, must: "see" };

  const uploadUrlText = (record: FileRecord, { url, expiresAt }: SignedUrl) => ({
    fileHandleId: files.handleOf(record),
    uploadUrl: url,
    expiresAt,
  });
  const confirmedText = (record: FileRecord) => ({
    fileHandleId: files.handleOf(record),
    uploadStatus: uploadStatus(record),
    contentHash: record.uploaded?.hash,
  });

  api.withRequest(
    "POST",
    "/files",
    {
      summary: "Create a file and get the URL its bytes go to",
      body: jsonBody(newFileModel, "Whose file it is, and what it is called"),
      answers: { 201: json(uploadModel, "Put the bytes to uploadUrl, then confirm the upload") },
    },
    async ({ body, request }, reply) => {
      const { record, upload } = await files.create(checkNewFile(body), originOf(request));
      return sendValue(reply.code(201), {
        fileHandleId: files.handleOf(record),
        fileName: record.fileName,
        contentType: record.contentType,
        storageType: files.storage.storageType,
        uploadStatus: uploadStatus(record),
        uploadUrl: upload.url,
        uploadUrlExpiresAt: upload.expiresAt,
        createdAt: record.createdAt,
      });
    },
  );

  const metadataText = (record: FileRecord) => {
    const { uploaded, fileName, contentType, workflowId, taskId, createdAt } = record;
    return {
      fileHandleId: files.handleOf(record),
      fileName,
      contentType,
      fileSize: uploaded?.size ?? 0,
      contentHash: uploaded?.hash,
      storageType: files.storage.storageType,
      uploadStatus: uploadStatus(record),
      workflowId,
      taskId,
      createdAt,
      updatedAt: uploaded?.at ?? createdAt,
    };
  };

  api.get(
    "/files",
    {
      summary: "Files of an execution",
      description: "Those it owns, uploaded or not, in no particular order.",
      query: {
        workflowId: textOr("", "The execution"),
        start: integer(0, "Skip this many"),
        size: integer(MOST_LISTED, `At most this many, ${MOST_LISTED} at most`),
      },
      answers: { 200: json(filePageModel, "What is known of them") },
    },
    async ({ query: { workflowId, start, size } }, reply) => {
      if (workflowId.trim() === "") throw invalidInput("workflowId is required");
      const page = { start: Math.max(0, start), limit: Math.min(MOST_LISTED, Math.max(0, size)) };
      const { totalHits, records } = await files.listOf(workflowId, page);
      return sendValue(reply, { totalHits, results: records.map(metadataText) });
    },
  );

  const metadata = async (params: FileParts, reply: Reply) =>
    sendValue(reply, metadataText(await files.load(params.fileId, see(params))));
  const metadataOf = { summary: "What is known of a file", answers: { 200: json(metadataModel, "The file") } };
  api.get("/files/:fileId", metadataOf, ({ params }, reply) => metadata(params, reply));
  api.get("/files/:workflowId/:fileId", metadataOf, ({ params }, reply) => metadata(params, reply));

  const freshUrl = async (params: FileParts, request: FastifyRequest, reply: Reply) => {
    const record = await files.load(params.fileId, own(params));
    return sendValue(reply, uploadUrlText(record, await files.storage.uploadUrl(record, originOf(request))));
  };
  const freshUrlOf = { summary: "A fresh upload URL", answers: { 200: json(uploadUrlModel, "Where the bytes go") } };
  api.withRequest("GET", "/files/:fileId/upload-url", freshUrlOf, ({ params, request }, reply) =>
    freshUrl(params, request, reply),
  );
  api.withRequest("GET", "/files/:workflowId/:fileId/upload-url", freshUrlOf, ({ params, request }, reply) =>
    freshUrl(params, request, reply),
  );

  const confirm = async (params: FileParts, reply: Reply) =>
    sendValue(reply, confirmedText(await files.confirm(await files.load(params.fileId, own(params)))));
  const confirmOf = { summary: "Confirm that the bytes are there", answers: { 200: json(confirmedModel, "They are") } };
  api.post("/files/:fileId/upload-complete", confirmOf, ({ params }, reply) => confirm(params, reply));
  api.post("/files/:workflowId/:fileId/upload-complete", confirmOf, ({ params }, reply) => confirm(params, reply));

  api.withRequest(
    "GET",
    "/files/:workflowId/:fileId/download-url",
    {
      summary: "Where to get the bytes",
      description: "For the execution that owns the file, its ancestors and its descendants.",
      answers: { 200: json(downloadUrlModel, "Where they are") },
    },
    async ({ params, request }, reply) => {
      const record = await files.load(params.fileId, see(params));
      const { url, expiresAt } = await files.downloadUrl(record, originOf(request));
      return sendValue(reply, { fileHandleId: files.handleOf(record), downloadUrl: url, expiresAt });
    },
  );

  const initiate = async (params: FileParts, reply: Reply) => {
    const record = await files.load(params.fileId, own(params));
    return sendValue(reply, { fileHandleId: files.handleOf(record), ...(await files.initiateMultipart(record)) });
  };
  const initiateOf = { summary: "Begin an upload in parts", answers: { 200: json(multipartModel, "Begun") } };
  api.post("/files/:fileId/multipart", initiateOf, ({ params }, reply) => initiate(params, reply));
  api.post("/files/:workflowId/:fileId/multipart", initiateOf, ({ params }, reply) => initiate(params, reply));

  type Part = FileParts & { readonly uploadId: string; readonly partNumber: string };

  const partUrl = async (params: Part, reply: Reply) => {
    const record = await files.load(params.fileId, own(params));
    const url = await files.partUrl(record, params.uploadId, readPartNumber(params.partNumber));
    return sendValue(reply, uploadUrlText(record, url));
  };
  const partOf = { summary: "Where a part goes", answers: { 200: json(uploadUrlModel, "For this part alone") } };
  api.get("/files/:fileId/multipart/:uploadId/part/:partNumber", partOf, ({ params }, reply) => partUrl(params, reply));
  api.get("/files/:workflowId/:fileId/multipart/:uploadId/part/:partNumber", partOf, ({ params }, reply) =>
    partUrl(params, reply),
  );

  type Complete = FileParts & { readonly uploadId: string };

  const complete = async (params: Complete, partETags: readonly string[], reply: Reply) => {
    const record = await files.load(params.fileId, own(params));
    return sendValue(reply, confirmedText(await files.completeMultipart(record, params.uploadId, partETags)));
  };
  const completeOf = {
    summary: "Put the parts together and confirm",
    body: {
      ...jsonBody({ type: "object", properties: { partETags: texts } }, "What the parts' uploads answered, in order"),
      read: (body: unknown) => readPartETags(parseJson(body)),
    },
    answers: { 200: json(confirmedModel, "Whole") },
  };
  api.post("/files/:fileId/multipart/:uploadId/complete", completeOf, ({ params, body }, reply) =>
    complete(params, body, reply),
  );
  api.post("/files/:workflowId/:fileId/multipart/:uploadId/complete", completeOf, ({ params, body }, reply) =>
    complete(params, body, reply),
  );

  const abort = async (params: Complete, reply: Reply) => {
    const record = await files.load(params.fileId, own(params));
    await files.storage.multipart?.abort(record, params.uploadId);
    return reply.code(204).send();
  };
  const abortOf = { summary: "Give an upload in parts up", answers: { 204: nothing("Given up") } };
  api.delete("/files/:fileId/multipart/:uploadId", abortOf, ({ params }, reply) => abort(params, reply));
  api.delete("/files/:workflowId/:fileId/multipart/:uploadId", abortOf, ({ params }, reply) => abort(params, reply));
}

const originOf = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}`;

/** What cannot be in a URL or a header is refused here, not found out later. */
function checkNewFile(body: unknown): NewFile {
  const file = newFileModel(body, "");
  const { workflowId, fileName, contentType, taskId } = file;
  if (workflowId.trim() === "") throw invalidInput("workflowId is required");
  if (workflowId.length > MAX_WORKFLOW_ID || workflowId === "." || workflowId === "..")
    throw invalidInput(`Expected workflowId to be the id of an execution, got "${workflowId.slice(0, 100)}"`);
  if (!workflowId.isWellFormed()) throw invalidInput("Expected workflowId to be well-formed text");
  if (contentType !== undefined && !/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(contentType))
    throw invalidInput("Expected contentType to be a media type of printable ASCII characters");
  for (const [name, value] of Object.entries({ fileName, taskId })) {
    if (value !== undefined && value.length > MAX_NAME)
      throw invalidInput(`Expected ${name} to have at most ${MAX_NAME} characters, got ${value.length}`);
  }
  return file;
}

function readPartNumber(text: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PARTS)
    throw invalidInput(`Expected a part number from 1 to ${MAX_PARTS}, got "${text.slice(0, 100)}"`);
  return number;
}

function readPartETags(body: unknown): readonly string[] {
  const tags = isJsonObject(body) ? body["partETags"] : undefined;
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string"))
    throw invalidInput(`Expected partETags to be a list of texts, got ${kindOf(tags)}`);
  if (tags.length > MAX_PARTS) throw invalidInput(`Expected at most ${MAX_PARTS} parts, got ${tags.length}`);
  return tags;
}
