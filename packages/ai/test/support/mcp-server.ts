import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import { serveHttp } from "./http-server.ts";

export type Seen = {
  /** The method of every request and the session it came in. */
  readonly requests: {
    readonly method: string;
    readonly session: string | undefined;
    readonly key: string | undefined;
  }[];
};

/** The official server with a few tools, over streamable HTTP: with sessions, or without. */
export async function serveMcp(
  kind: "stateful" | "stateless",
): Promise<{ readonly origin: string; readonly seen: Seen }> {
  const seen: Seen = { requests: [] };
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const origin = await serveHttp(async (request, response) => {
    const session = request.headers["mcp-session-id"]?.toString();
    seen.requests.push({ method: request.method ?? "", session, key: request.headers["x-key"]?.toString() });
    let transport = session === undefined ? undefined : sessions.get(session);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport(
        kind === "stateless"
          ? {}
          : {
              sessionIdGenerator: randomUUID,
              onsessioninitialized: (id) => void sessions.set(id, transport as StreamableHTTPServerTransport),
            },
      );
      await withTools().connect(transport as Transport);
    }
    await transport.handleRequest(request, response);
  });
  return { origin, seen };
}

/** The official server over the older transport: a stream, and a place to post to. */
export async function serveOldMcp(): Promise<string> {
  const sessions = new Map<string, SSEServerTransport>();
  const handle: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? "", "http://localhost");
    if (request.method === "GET" && url.pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response);
      sessions.set(transport.sessionId, transport);
      await withTools().connect(transport as Transport);
    } else if (request.method === "POST" && url.pathname === "/messages") {
      await sessions.get(url.searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response);
    } else {
      response.writeHead(405).end();
    }
  };
  return await serveHttp(handle);
}

/** A server that answers single JSON-RPC requests and knows no handshake. */
export function servePlainRpc(
  answer: (
    method: string,
    params: unknown,
    request: IncomingMessage,
  ) => { readonly status?: number; readonly type?: string; readonly body: string },
): Promise<string> {
  return serveHttp(async (request, response) => {
    const chunks: Buffer[] = await request.toArray();
    const { method, params } = JSON.parse(Buffer.concat(chunks).toString() || "{}") as {
      method?: string;
      params?: unknown;
    };
    const { status = 200, type = "application/json", body } = answer(method ?? "", params, request);
    response.writeHead(status, { "content-type": type }).end(body);
  });
}

function withTools(): McpServer {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "get_weather",
    { description: "The weather of a place", inputSchema: { location: z.string(), units: z.string().optional() } },
    ({ location, units = "celsius" }) => ({
      content: [{ type: "text", text: JSON.stringify({ location, units, degrees: 21 }) }],
      structuredContent: { degrees: 21 },
    }),
  );
  server.registerTool("say", { description: "Says it", inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  server.registerTool("break", { description: "Fails" }, () => ({
    content: [{ type: "text", text: "it broke" }],
    isError: true,
  }));
  return server;
}
