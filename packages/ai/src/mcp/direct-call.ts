import type { Json, JsonObject } from "@downbeat/engine";
import { HttpFailure, type McpFetch } from "./mcp-fetch.ts";

export type McpRequest = { readonly method: "tools/list" | "tools/call"; readonly params: JsonObject };

/** An answer of JSON-RPC that is an error; the message is the error as JSON. */
export class JsonRpcFailure extends Error {}

/** One JSON-RPC request without a session, for servers that know no handshake. */
export async function callDirectly(
  { fetch }: McpFetch,
  url: URL,
  { method, params }: McpRequest,
  options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<JsonObject> {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...options.headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: options.signal,
  });
  const text = await response.text();
  if (!response.ok) throw new HttpFailure(response.status, text);
  const answer = /^text\/event-stream/i.test(response.headers.get("content-type") ?? "")
    ? readEvents(text)
    : readJson(text);
  if (isObject(answer) && isObject(answer["error"])) throw new JsonRpcFailure(JSON.stringify(answer["error"]));
  if (!isObject(answer) || !isObject(answer["result"])) {
    throw new Error("Invalid JSON-RPC response: missing 'result' field");
  }
  return answer["result"];
}

function readEvents(body: string): Json {
  const data = body
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).trim())
    .filter((line) => line !== "" && line !== "[DONE]")
    .join("");
  if (data === "") throw new Error(`No data found in SSE response: ${body}`);
  try {
    return JSON.parse(data) as Json;
  } catch (error) {
    throw new Error(`Failed to parse SSE data as JSON: ${data}`, { cause: error });
  }
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // Whatever it is, it holds no result.
    return null;
  }
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
