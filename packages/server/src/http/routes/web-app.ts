import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

const builtFolder = fileURLToPath(new URL("../../../../ui/dist/", import.meta.url));

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
};

/** Paths that belong to the interface: an unknown one among them is an error of a program, never a page. */
const ofTheInterface = /^\/(?:api|api-docs|docs|health|actuator|swagger-ui)(?:[./]|$)/;

const policy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "frame-ancestors 'self'",
].join("; ");

type File = { readonly body: Buffer; readonly brotli: Buffer | undefined; readonly type: string; readonly tag: string };

/** The web app: files that were built beforehand, and its one page for every path that people may open. */
export class WebApp {
  readonly #folder: string;
  #builtAt = 0;
  #files: ReadonlyMap<string, () => File> = new Map();

  constructor(folder = builtFolder) {
    this.#folder = folder;
  }

  /** Answers what a browser asked for; undefined when this is nothing of the app's. */
  answer(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const path = request.originalUrl.split("?")[0] ?? "/";
    if (ofTheInterface.test(path)) return undefined;
    this.#lookAtFolder();
    const file = this.#files.get(path);
    // Hashed names never change what they hold.
    if (file !== undefined && path !== "/index.html")
      return this.#send(request, reply, file(), path.startsWith("/assets/"));
    if (!acceptsPages(request)) return undefined;
    const page = this.#files.get("/index.html");
    if (page === undefined) return reply.code(503).type("text/html; charset=utf-8").send(notBuilt);
    return this.#send(request, reply, page(), false);
  }

  /** Looks at the folder again when it was built anew. Only names found in it are ever read. */
  #lookAtFolder(): void {
    const builtAt = statSync(join(this.#folder, "index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (builtAt === this.#builtAt) return;
    this.#builtAt = builtAt;
    this.#files = builtAt === 0 ? new Map() : listFiles(this.#folder);
  }

  #send(request: FastifyRequest, reply: FastifyReply, file: File, isForever: boolean): FastifyReply {
    const { body, brotli, type, tag } = file;
    reply
      .type(type)
      .header("etag", tag)
      .header("cache-control", isForever ? "public, max-age=31536000, immutable" : "no-cache")
      .header("x-content-type-options", "nosniff")
      .header("vary", "accept, accept-encoding");
    if (type.startsWith("text/html")) reply.header("content-security-policy", policy);
    if (request.headers["if-none-match"] === tag) return reply.code(304).send();
    const takesBrotli = /\bbr\b/.test(String(request.headers["accept-encoding"] ?? ""));
    if (brotli !== undefined && takesBrotli) return reply.header("content-encoding", "br").send(brotli);
    return reply.send(body);
  }
}

const acceptsPages = ({ headers }: FastifyRequest): boolean => (headers.accept ?? "").includes("text/html");

function listFiles(folder: string): ReadonlyMap<string, () => File> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll("\\", "/"));
  return new Map(names.map((name) => [`/${name.replace(/^\//, "")}`, once(() => readFile(join(folder, name)))]));
}

const LEAST_COMPRESSED_BYTES = 1000;
const QUALITY = 6;

function readFile(path: string): File {
  const body = readFileSync(path);
  const type = types[extname(path)] ?? "application/octet-stream";
  const isText = /text|json|svg/.test(type) && body.length >= LEAST_COMPRESSED_BYTES;
  const brotli = isText
    ? brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } })
    : undefined;
  return { body, brotli, type, tag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Downbeat</title>
<body style="font: 16px/1.5 system-ui; max-width: 40rem; margin: 4rem auto; padding: 0 1rem">
<h1>The web app has not been built</h1>
<p>The server runs and its interface answers. To have the web app here, run</p>
<pre>npm run build -w packages/ui</pre>
<p>in the repository (<code>npm start</code> does it by itself) and load this page again.</p>
<p><a href="/docs/api">The interface's documentation</a></p>
`;
