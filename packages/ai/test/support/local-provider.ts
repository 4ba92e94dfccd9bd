import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export type Received = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
  /** The body, where it is JSON. */
  readonly body: Record<string, unknown>;
};

export type Answer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly bytes?: Buffer;
  /** Sent as server-sent events, one after the other. */
  readonly events?: readonly string[];
};

export type LocalProvider = {
  readonly url: string;
  readonly requests: readonly Received[];
  /** How every later request is answered. */
  readonly answer: (how: (request: Received, response: ServerResponse) => Answer | Promise<Answer>) => void;
  readonly close: () => Promise<void>;
};

/** An HTTP server in the place of a provider: it keeps what it is sent and answers as the test says. */
export async function startLocalProvider(): Promise<LocalProvider> {
  const requests: Received[] = [];
  let answer: (request: Received, response: ServerResponse) => Answer | Promise<Answer> = () => ({ status: 404 });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const { method = "", url: path = "", headers } = request;
    const received: Received = { method, path, headers, bytes, body: readJson(bytes) };
    requests.push(received);
    send(response, await answer(received, response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (how) => {
      answer = how;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, json, bytes, events }: Answer): void {
  if (response.destroyed) return;
  if (events !== undefined) {
    response.writeHead(status, { "content-type": "text/event-stream", ...headers });
    for (const event of events) response.write(event);
    response.end();
    return;
  }
  const body = bytes ?? Buffer.from(json === undefined ? "" : JSON.stringify(json));
  const type: Record<string, string> = json === undefined ? {} : { "content-type": "application/json" };
  response.writeHead(status, { ...type, ...headers }).end(body);
}

function readJson(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString()) as Record<string, unknown>;
  } catch {
    return {};
  }
}
