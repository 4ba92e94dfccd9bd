import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A real HTTP server on 127.0.0.1 for one test; gives its origin. */
export async function serveHttp(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export type JsonRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
};

/** The same for JSON: what `answer` gives is sent. */
export function serveJson(
  answer: (
    request: JsonRequest,
  ) =>
    | { readonly status?: number; readonly body: unknown }
    | Promise<{ readonly status?: number; readonly body: unknown }>,
): Promise<string> {
  return serveHttp(async (request, response) => {
    const chunks: Buffer[] = await request.toArray();
    const text = Buffer.concat(chunks).toString();
    const { status = 200, body } = await answer({
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    });
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}
