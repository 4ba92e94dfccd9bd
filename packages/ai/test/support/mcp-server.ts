import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
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
  tools: ToolBox = weather,
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
      await withTools(tools).connect(transport as Transport);
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
      await withTools(weather).connect(transport as Transport);
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

/** Tools by name, and what they do. */
export type ToolBox = {
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: { readonly type: "object" };
  }[];
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => CallToolResult;
};

export const saying = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

const weather: ToolBox = {
  tools: [
    {
      name: "get_weather",
      description: "The weather of a place",
      inputSchema: {
        type: "object",
        properties: { location: { type: "string" }, units: { type: "string" } },
        required: ["location"],
      } as { type: "object" },
    },
    { name: "say", description: "Says it", inputSchema: { type: "object" } },
    { name: "break", description: "Fails", inputSchema: { type: "object" } },
  ],
  call(name, args) {
    switch (name) {
      case "get_weather": {
        const found = { location: args["location"], units: args["units"] ?? "celsius", degrees: 21 };
        return { ...saying(JSON.stringify(found)), structuredContent: { degrees: 21 } };
      }
      case "say":
        return saying(String(args["text"]));
      case "break":
        return { ...saying("it broke"), isError: true };
      default:
        throw new McpError(ErrorCode.InvalidParams, `Tool ${name} not found`);
    }
  },
};

function withTools({ tools, call }: ToolBox): Server {
  const server = new Server({ name: "tools", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => call(params.name, params.arguments ?? {}));
  return server;
}
