import { createSocket } from "node:dgram";
import { Resolver } from "node:dns";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { ResolveHost } from "./address-policy.ts";

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

/** A real name server on 127.0.0.1 for one test: `answer` gives the IPv4 addresses of each question. Gives one who asks it. */
export async function serveDns(answer: (name: string) => readonly string[]): Promise<ResolveHost> {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => socket.send(answerTo(question, answer), from.port, from.address));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  const resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return (hostname, _, callback) =>
    resolver.resolve4(hostname, (error, found) =>
      callback(error, error === null ? found.map((address) => ({ address, family: 4 })) : []),
    );
}

function answerTo(question: Buffer, answer: (name: string) => readonly string[]): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let size = question[at]!; size > 0; size = question[at]!) {
    labels.push(question.toString("latin1", at + 1, at + 1 + size));
    at += 1 + size;
  }
  const addresses = answer(labels.join("."));
  const head = Buffer.from(question.subarray(0, 12));
  // An answer without an error, to one question.
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    // The name asked for, type A, class IN, to be kept for no time, four bytes.
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([head, question.subarray(12, at + 5), ...records]);
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
