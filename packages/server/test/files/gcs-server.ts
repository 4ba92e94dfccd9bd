import { createHash, createVerify, type KeyObject, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ObjectStore } from "./servers.ts";

type Session = { readonly name: string; received: Buffer; isOver: boolean };

/**
 * Google Cloud Storage as it is seen on the wire, in memory: signed URLs, object metadata, and resumable sessions.
 * Signatures are checked as documented for V4, with the public half of the test's key.
 */
export async function startGcs(publicKey: KeyObject): Promise<ObjectStore> {
  const objects = new Map<string, Buffer>();
  const sessions = new Map<string, Session>();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", endpoint);
    const body = Buffer.concat(await request.toArray());
    const [, api] = /^\/storage\/v1\/b\/files\/o\/(.+)$/.exec(url.pathname) ?? [];
    if (api !== undefined) return answerApi(request.method, decodeURIComponent(api), response);
    if (url.pathname === "/upload/storage/v1/b/files/o") return answerUpload(request, url, body, response);
    const [, name] = /^\/files\/(.+)$/.exec(url.pathname) ?? [];
    const reason = name === undefined ? "NoSuchBucket" : problemOf(request, url, publicKey);
    if (reason !== undefined) {
      response.writeHead(reason === "NoSuchBucket" ? 404 : 403).end(`<Error><Code>${reason}</Code></Error>`);
      return;
    }
    answerObject(request.method, decodeURIComponent(name ?? ""), body, response);
  }

  function answerObject(method: string | undefined, name: string, body: Buffer, response: ServerResponse): void {
    if (method === "PUT") {
      objects.set(name, body);
      response.writeHead(200).end();
      return;
    }
    const object = objects.get(name);
    if (object === undefined) response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
    else response.writeHead(200, { "content-length": object.length }).end(object);
  }

  function answerApi(method: string | undefined, name: string, response: ServerResponse): void {
    const object = objects.get(name);
    if (object === undefined)
      sendJson(response, 404, { error: { code: 404, message: `No such object: files/${name}` } });
    else if (method === "DELETE") {
      objects.delete(name);
      response.writeHead(204).end();
    } else sendJson(response, 200, metadataOf(name, object));
  }

  function answerUpload(request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse): void {
    const uploadId = url.searchParams.get("upload_id");
    if (uploadId === null) {
      const id = randomUUID();
      sessions.set(id, { name: url.searchParams.get("name") ?? "", received: Buffer.alloc(0), isOver: false });
      response.writeHead(200, { location: `${endpoint}${url.pathname}?uploadType=resumable&upload_id=${id}` }).end();
      return;
    }
    const session = sessions.get(uploadId);
    if (session === undefined || session.isOver) response.writeHead(session === undefined ? 404 : 410).end();
    else if (request.method === "DELETE") {
      session.isOver = true;
      response.writeHead(499).end();
    } else takeChunk(session, request, body, response);
  }

  function takeChunk(session: Session, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const [, first = "0", total = "*"] =
      /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(request.headers["content-range"] ?? "") ?? [];
    if (Number(first) === session.received.length) session.received = Buffer.concat([session.received, body]);
    if (total === "*" || session.received.length < Number(total)) {
      response.writeHead(308, { range: `bytes=0-${session.received.length - 1}` }).end();
      return;
    }
    session.isOver = true;
    objects.set(session.name, session.received);
    sendJson(response, 200, metadataOf(session.name, session.received));
  }

  return {
    endpoint,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const metadataOf = (name: string, object: Buffer) => ({
  kind: "storage#object",
  bucket: "files",
  name,
  size: String(object.length),
  md5Hash: createHash("md5").update(object).digest("base64"),
  etag: "CJ==",
});

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Why a signed URL is not good, in the store's words. */
function problemOf({ method = "", headers }: IncomingMessage, url: URL, publicKey: KeyObject): string | undefined {
  const query = Object.fromEntries(url.searchParams);
  const date = query["X-Goog-Date"] ?? "";
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  if (!/^\d+$/.test(query["X-Goog-Expires"] ?? "")) return "InvalidArgument";
  if (Date.parse(iso) + Number(query["X-Goog-Expires"]) * 1000 < Date.now()) return "ExpiredToken";
  const signed = (query["X-Goog-SignedHeaders"] ?? "").split(";");
  const canonical = [
    method,
    url.pathname,
    url.search
      .slice(1)
      .split("&")
      .filter((part) => !part.startsWith("X-Goog-Signature="))
      .sort()
      .join("&"),
    // The real store has no port, and the client signs none.
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/:\d+$/, "")}`),
    "",
    signed.join(";"),
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const scope = (query["X-Goog-Credential"] ?? "").split("/").slice(1).join("/");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const verify = createVerify("RSA-SHA256").update(["GOOG4-RSA-SHA256", date, scope, digest].join("\n"));
  return verify.verify(publicKey, query["X-Goog-Signature"] ?? "", "hex") ? undefined : "SignatureDoesNotMatch";
}
