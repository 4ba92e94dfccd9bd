import { mkdir, open, writeFile } from "node:fs/promises";
import { STATUS_CODES } from "node:http";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { createGuardedFetch, OutboundError, type Runtime } from "@downbeat/server";
import { createAccessPolicy } from "../documents/access-policy.ts";
import { TerminalError } from "../errors.ts";
import { readBytes } from "../outbound/read-bytes.ts";
import { isFileHandle, readFileHandle } from "./file-handles.ts";

/** Bytes by their location: an http or https URL, a file URL, a path, or a handle of the file store. */
export type DocumentLoader = {
  /** The largest document that is loaded. */
  readonly maxBytes: number;
  readonly isFileHandle: (location: string) => boolean;
  readonly load: (location: string, options: LoadOptions) => Promise<LoadedDocument>;
  /** Puts bytes there; gives the location under which they can be read. */
  readonly store: (location: string, document: StoredDocument, options: RequestOptions) => Promise<string>;
  /** The path of a folder that may be listed. */
  readonly checkPath: (location: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

type RequestOptions = {
  /** Sent with the request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

export type LoadOptions = RequestOptions & {
  /** Who asks: files of the file store belong to executions. */
  readonly executionId: string;
};

export type LoadedDocument = {
  readonly bytes: Uint8Array;
  /** As the other side says; undefined when it does not. */
  readonly mimeType: string | undefined;
};

type StoredDocument = { readonly bytes: Uint8Array; readonly mimeType: string };

const TIMEOUT_MS = 30_000;
const TRIES = 3;
const PAUSE_MS = 400;

/** Reads and writes within the policy for documents; `folder` is where generated files go. */
export function createDocumentLoader(runtime: Runtime, folder: string): DocumentLoader {
  const { config } = runtime;
  const policy = createAccessPolicy(config, folder);
  const maxBytes = config["service.documents.max-size"];
  const { fetch, close } = createGuardedFetch({
    ...policy.rules,
    connectTimeoutMs: TIMEOUT_MS,
    readTimeoutMs: TIMEOUT_MS,
  });

  async function call(location: string, init: RequestInit): Promise<Response> {
    for (let failures = 0; ; ) {
      try {
        const response = await fetch(location, init);
        if (response.ok) return response;
        await response.body?.cancel();
        throw new Error(
          `Error making an HTTP call ${response.statusText || STATUS_CODES[response.status] || ""}, status: ${response.status}`,
        );
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal !== undefined) throw refusal;
        failures += 1;
        if (!(error instanceof OutboundError) || error.failure !== "connect" || failures === TRIES) throw error;
        await pause(PAUSE_MS, undefined, { signal: init.signal ?? undefined });
      }
    }
  }

  const isHandle = (location: string): boolean => isFileHandle(location, config["service.file-storage.handle-prefix"]);

  return {
    maxBytes,
    isFileHandle: isHandle,
    async load(location, options) {
      const { headers = {}, signal } = options;
      if (isHandle(location)) {
        return await readFileHandle(runtime, location, options, maxBytes);
      }
      if (!isUrl(location))
        return { bytes: await readLocal(await policy.checkPath(location), maxBytes), mimeType: undefined };
      const response = await call(location, { headers: { accept: "*/*", ...headers }, signal });
      const mimeType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
      return { bytes: await readBytes(response, maxBytes), mimeType: mimeType === "" ? undefined : mimeType };
    },
    async store(location, { bytes, mimeType }, { headers = {}, signal }) {
      if (isUrl(location)) {
        const body = Uint8Array.from(bytes);
        const response = await call(location, {
          method: "POST",
          headers: { "content-type": mimeType, ...headers },
          body,
          signal,
        });
        await response.body?.cancel();
        return location;
      }
      if (/^[a-z][a-z0-9+.-]+:/i.test(location) && !/^file:/i.test(location)) {
        throw new TerminalError(`No DocumentLoader supports output location: ${location}`);
      }
      const path = await policy.checkPath(location);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes, { flush: true });
      return pathToFileURL(path).href;
    },
    checkPath: policy.checkPath,
    close,
  };
}

const isUrl = (location: string): boolean => /^https?:/i.test(location);

/** What the policy refuses, in its own words: trying again cannot help. */
function refusalOf(error: unknown): TerminalError | undefined {
  if (!(error instanceof OutboundError)) return;
  if (error.failure !== "refused" && error.failure !== "invalid-request") return;
  return new TerminalError(error.message.replace(/^Outbound access denied: /, "Access denied: "));
}

async function readLocal(path: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await open(path).catch((error: unknown) => {
    throw new Error(`Expected a document at ${path}, found none that can be read`, { cause: error });
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new TerminalError(`Expected ${path} to be a file, found something else`);
    if (found.size > maxBytes)
      throw new TerminalError(`Expected a document of at most ${maxBytes} bytes, got ${found.size}`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
