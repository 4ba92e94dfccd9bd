import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A real HTTP server on 127.0.0.1 for one test; gives its origin. */
export async function serveHttp(handle: RequestListener): Promise<string> {
  const server = createHttpServer(handle);
  return `http://${await listen(server, () => server.closeAllConnections())}`;
}

/** The same below HTTP: what the bytes mean is up to the test. Gives `127.0.0.1:<port>`. */
export async function serveTcp(handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    handle(socket);
  });
  return listen(server, () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  });
}

/** An address of this machine where nobody listens. */
export async function findClosedPort(): Promise<string> {
  const server = createTcpServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `127.0.0.1:${port}`;
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = await request.toArray();
  return Buffer.concat(chunks).toString();
}

async function listen(server: Server, disconnect: () => void): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    const closed = once(server, "close");
    server.close();
    disconnect();
    await closed;
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
