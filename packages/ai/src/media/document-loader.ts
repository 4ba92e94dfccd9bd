import { readFile } from "node:fs/promises";
import { STATUS_CODES } from "node:http";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createOutboundClient, refuseAddresses } from "@downbeat/server";
import { TerminalError } from "../errors.ts";

/** Bytes by their location: an http or https URL, a file URL, or a path. */
export type DocumentLoader = {
  readonly load: (location: string, options: LoadOptions) => Promise<LoadedDocument>;
  readonly close: () => void;
};

export type LoadOptions = {
  /** Sent with the request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

export type LoadedDocument = {
  readonly bytes: Uint8Array;
  /** As the other side says; undefined when it does not. */
  readonly mimeType: string | undefined;
};

const TIMEOUT_MS = 30_000;
const LARGEST_BYTES = 50 * 1024 * 1024;

/** Reads what the server generated itself from its folder, and anything else over HTTP; nothing of this machine. */
export function createDocumentLoader(folder: string): DocumentLoader {
  const client = createOutboundClient({
    connectTimeoutMs: TIMEOUT_MS,
    readTimeoutMs: TIMEOUT_MS,
    maxResponseBytes: LARGEST_BYTES,
    refuse: refuseAddresses(["127.0.0.0/8", "::1", "0.0.0.0/8", "::", "fe80::/10"]),
  });
  return {
    async load(location, { headers = {}, signal }) {
      if (!/^https?:/i.test(location)) return { bytes: await readLocal(folder, location), mimeType: undefined };
      const response = await client.send({ method: "GET", url: location, headers: Object.entries(headers), signal });
      const { statusCode } = response;
      if (statusCode < 200 || statusCode > 299) {
        throw new Error(`Error making an HTTP call ${STATUS_CODES[statusCode] ?? ""}, status: ${statusCode}`);
      }
      return { bytes: response.body, mimeType: contentTypeOf(response.headers) };
    },
    close: () => client.close(),
  };
}

async function readLocal(folder: string, location: string): Promise<Uint8Array> {
  const path = resolve(/^file:/i.test(location) ? fileURLToPath(location) : location);
  const inside = relative(folder, path);
  if (inside === "" || inside.startsWith("..") || resolve(inside) === inside) {
    throw new TerminalError(`Access denied: path is not under any allowed directory. Allowed directories: [${folder}]`);
  }
  return await readFile(path);
}

function contentTypeOf(headers: { readonly [name: string]: readonly string[] | undefined }): string | undefined {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === "content-type");
  return name === undefined ? undefined : headers[name]?.[0]?.split(";")[0]?.trim().toLowerCase();
}
