import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { BSON, type Document } from "mongodb";
import { onTestFinished } from "vitest";

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

/** A server on 127.0.0.1 that speaks the wire protocol of MongoDB: updates, and aggregations with a vector search stage. */
export async function serveMongo(): Promise<{ readonly url: string; readonly searches: readonly Document[] }> {
  const collections = new Map<string, Map<string, Document>>();
  const searches: Document[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 16 && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        socket.write(replyTo(message, (command) => run(command, collections, searches)));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    const closed = once(server, "close");
    server.close();
    await closed;
  });
  return { url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/?directConnection=true`, searches };
}

function replyTo(message: Buffer, run: (command: Document) => Document): Buffer {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode === OP_QUERY) {
    const body = BSON.serialize(run({ hello: 1 }));
    const head = Buffer.alloc(36);
    head.writeInt32LE(36 + body.length, 0);
    head.writeInt32LE(requestId, 8);
    head.writeInt32LE(OP_REPLY, 12);
    head.writeInt32LE(1, 32);
    return Buffer.concat([head, body]);
  }
  const body = BSON.serialize(run(readCommand(message.subarray(20))));
  const head = Buffer.alloc(21);
  head.writeInt32LE(21 + body.length, 0);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}

/** The sections of an OP_MSG: one command, and lists of documents that belong into it. */
function readCommand(sections: Buffer): Document {
  let command: Document = {};
  for (let at = 0; at < sections.length; ) {
    const kind = sections[at];
    const size = sections.readInt32LE(at + 1);
    const section = sections.subarray(at + 1, at + 1 + size);
    if (kind === 0) {
      command = { ...command, ...BSON.deserialize(section) };
    } else {
      const end = section.indexOf(0, 4);
      const documents: Document[] = [];
      for (let from = end + 1; from < section.length; from += section.readInt32LE(from)) {
        documents.push(BSON.deserialize(section.subarray(from, from + section.readInt32LE(from))));
      }
      command[section.toString("utf8", 4, end)] = documents;
    }
    at += 1 + size;
  }
  return command;
}

function run(command: Document, collections: Map<string, Map<string, Document>>, searches: Document[]): Document {
  if (command["update"] !== undefined) {
    const documents = collections.get(command["update"]) ?? new Map<string, Document>();
    collections.set(command["update"], documents);
    for (const { q, u } of command["updates"] as Document[]) documents.set(q["doc_id"], u["$set"]);
    return { ok: 1, n: command["updates"].length, nModified: 0 };
  }
  if (command["aggregate"] !== undefined) {
    const [{ $vectorSearch: search }] = command["pipeline"] as [Document];
    searches.push(search);
    const documents = [...(collections.get(command["aggregate"])?.values() ?? [])];
    const scored = documents
      .map((document) => ({ ...document, score: (1 + cosine(search["queryVector"], document["embedding"])) / 2 }))
      .toSorted((one, other) => other.score - one.score)
      .slice(0, search["limit"]);
    return { ok: 1, cursor: { id: BSON.Long.ZERO, ns: `test.${command["aggregate"]}`, firstBatch: scored } };
  }
  return {
    ok: 1,
    isWritablePrimary: true,
    maxWireVersion: 25,
    minWireVersion: 0,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
  };
}

export function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
