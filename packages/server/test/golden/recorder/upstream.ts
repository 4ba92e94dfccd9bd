import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the recorded HTTP tasks call: a small server of our own on loopback. */
export async function startUpstream(): Promise<{ readonly address: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(request, Buffer.concat(chunks).toString(), response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer({ method, url, headers }: IncomingMessage, body: string, response: ServerResponse): void {
  const send = (status: number, type: string, text: string) => {
    response.writeHead(status, { "content-type": type, "x-mock": "yes" });
    response.end(text);
  };
  const sendJson = (status: number, value: unknown) => send(status, "application/json", JSON.stringify(value));
  switch (url) {
    case "/json":
      return sendJson(200, { a: 1, nested: { b: [1, 2] } });
    case "/text":
      return send(200, "text/plain", "plain text");
    case "/number":
      return sendJson(200, 42);
    case "/empty":
      response.writeHead(204);
      response.end();
      return;
    case "/echo":
      return sendJson(200, {
        method,
        body,
        ct: headers["content-type"] ?? null,
        accept: headers.accept ?? null,
        xh: headers["x-h"] ?? null,
      });
    case "/fail":
      return sendJson(500, { error: "boom" });
    case "/notfound":
      return sendJson(404, { error: "nope" });
    case "/slow":
      setTimeout(() => sendJson(200, { slow: true }), 5000);
      return;
    default:
      return sendJson(200, {});
  }
}
