import { isJsonObject, type Json, type JsonObject } from "@downbeat/engine";
import { findText } from "../frameworks/raw.ts";
import { RpcError } from "./rpc-error.ts";

/** What somebody said to an agent, taken apart. */
export type Message = {
  readonly text: string;
  /** All data parts in one. */
  readonly data: JsonObject;
  /** Addresses of files, or their bytes as data URLs. */
  readonly media: readonly string[];
  readonly messageId: string | undefined;
  readonly contextId: string | undefined;
  /** The task it answers. */
  readonly taskId: string | undefined;
};

/** Reads the message of a request. Throws RpcError. */
export function readMessage(params: JsonObject): Message {
  const message = params["message"];
  if (!isJsonObject(message)) throw new RpcError(-32602, "message/send requires params.message");
  const parts = Array.isArray(message["parts"]) ? message["parts"].filter(isJsonObject) : [];
  return {
    text: parts.flatMap((part) => (kindOf(part) === "text" ? [String(part["text"] ?? "")] : [])).join("\n"),
    data: Object.assign({}, ...parts.map((part) => (isJsonObject(part["data"]) ? part["data"] : {}))),
    media: parts.flatMap((part) => mediaOf(part["file"])),
    messageId: findText(message, "messageId"),
    contextId: findText(message, "contextId"),
    taskId: findText(message, "taskId"),
  };
}

const kindOf = (part: JsonObject): string => findText(part, "kind") ?? findText(part, "type") ?? "text";

function mediaOf(file: Json | undefined): readonly string[] {
  if (!isJsonObject(file)) return [];
  const [uri, bytes] = [findText(file, "uri"), findText(file, "bytes")];
  if (uri !== undefined) return [uri];
  return bytes === undefined
    ? []
    : [`data:${findText(file, "mimeType") ?? "application/octet-stream"};base64,${bytes}`];
}
