import type { Json, JsonObject } from "@downbeat/engine";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { checkNesting } from "../outbound/nesting.ts";
import { callDirectly, JsonRpcFailure, type McpRequest } from "./direct-call.ts";
import { createMcpFetch, HttpFailure, isFinal, type McpFetch } from "./mcp-fetch.ts";

export type McpServer = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

const MOST_PAGES = 100;
const CLOSE_MS = 2000;
const METHOD_NOT_FOUND = -32601;

/** Every tool of the server, all pages of the list. */
export async function listTools(server: McpServer): Promise<readonly JsonObject[]> {
  return await withSession(server, async (ask) => {
    const tools: JsonObject[] = [];
    let cursor: Json | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const answer = await ask({ method: "tools/list", params: cursor === undefined ? {} : { cursor } });
      if (!Array.isArray(answer["tools"]))
        throw new Error("Invalid response: 'tools' field is missing or not an array");
      tools.push(...(answer["tools"] as JsonObject[]));
      cursor = answer["nextCursor"] ?? undefined;
      if (cursor === undefined) break;
    }
    return tools;
  });
}

/** What the tool answered, as it was sent. */
export const callTool = (server: McpServer, name: string, args: JsonObject): Promise<JsonObject> =>
  withSession(server, (ask) => ask({ method: "tools/call", params: { name, arguments: args } }));

type Ask = (request: McpRequest) => Promise<JsonObject>;

/**
 * The full handshake by the official client first; for servers that refuse it the older stream, where the URL is of that
 * kind, and then the bare request.
 */
async function withSession<Result>(server: McpServer, use: (ask: Ask) => Promise<Result>): Promise<Result> {
  const mcpFetch = createMcpFetch(server.fetch);
  const client = await connect(server, mcpFetch);
  if (client === undefined) return await use(checked((request) => callDirectly(mcpFetch, server.url, request, server)));
  try {
    return await use(checked((request) => askClient(client, request, server, mcpFetch)));
  } finally {
    await close(client);
  }
}

/** Undefined when the server knows no handshake. */
async function connect(server: McpServer, mcpFetch: McpFetch): Promise<Client | undefined> {
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
  ]);
  const options = { fetch: mcpFetch.fetch, requestInit: { headers: { ...server.headers } } };
  const tryWith = async (transport: Transport): Promise<Client | undefined> => {
    const client = new Client({ name: "downbeat", version: "0.1.0" });
    try {
      await client.connect(transport, { signal: server.signal, timeout: server.timeoutMs });
      return client;
    } catch (error) {
      await client.close();
      server.signal.throwIfAborted();
      const failure = mcpFetch.failure() ?? error;
      if (isFinal(failure) || !isRefused(failure)) throw failure;
      return;
    }
  };
  const streamable = new StreamableHTTPClientTransport(server.url, { ...options, redirectPolicy: "follow" });
  const client = await tryWith(streamable as Transport);
  if (client !== undefined || !/\/sse\/?$/i.test(server.url.pathname)) return client;
  const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
  return await tryWith(new SSEClientTransport(server.url, options) as Transport);
}

/** The handshake itself was refused: by a status, or as an unknown method. */
function isRefused(error: unknown): boolean {
  if (error instanceof HttpFailure) return error.status >= 400 && error.status < 500;
  return error instanceof Error && "code" in error && error.code === METHOD_NOT_FOUND;
}

async function askClient(
  client: Client,
  { method, params }: McpRequest,
  server: McpServer,
  mcpFetch: McpFetch,
): Promise<JsonObject> {
  const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
  try {
    const request = { method, params: { ...params } };
    return (await client.request(request, ResultSchema, {
      signal: server.signal,
      timeout: server.timeoutMs,
    })) as JsonObject;
  } catch (error) {
    server.signal.throwIfAborted();
    throw mcpFetch.failure() ?? rpcFailure(error) ?? error;
  }
}

/** The client's error as the server sent it. */
function rpcFailure(error: unknown): JsonRpcFailure | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number") return;
  const message = error.message.replace(/^(MCP error -?\d+: )+/, "");
  const data = "data" in error && error.data !== undefined ? { data: error.data } : {};
  return new JsonRpcFailure(JSON.stringify({ code: error.code, message, ...data }));
}

/** Says goodbye, and does not wait long for an answer: the result is in. */
async function close(client: Client): Promise<void> {
  const { transport } = client;
  if (transport !== undefined && "terminateSession" in transport && typeof transport.terminateSession === "function") {
    const ended = Promise.resolve(transport.terminateSession()).catch(() => undefined);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
  }
  await client.close();
}

function checked(ask: Ask): Ask {
  return async (request) => {
    const answer = await ask(request);
    checkNesting(answer);
    return answer;
  };
}
