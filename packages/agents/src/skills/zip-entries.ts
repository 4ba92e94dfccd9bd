import { crc32 } from "node:zlib";
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from "yauzl";
import { InvalidAgent } from "../invalid-agent.ts";
import { packagePath } from "./package-path.ts";

export type PackageLimits = {
  readonly packageBytes: number;
  /** What may be read of one file into memory. */
  readonly previewBytes: number;
  readonly uncompressedBytes: number;
  readonly fileCount: number;
};

export type ZipEntry = {
  readonly path: string;
  /** The content in pieces, counted against the limits as it is inflated: declared sizes are not trusted. */
  readonly read: () => AsyncIterable<Uint8Array>;
};

/** The files of a package, in the order of the zip. Throws InvalidAgent. */
export async function* zipEntries(bytes: Buffer, limits: PackageLimits): AsyncIterable<ZipEntry> {
  if (bytes.length === 0) throw new InvalidAgent("Skill package is required");
  if (bytes.length > limits.packageBytes) {
    throw new InvalidAgent(`Skill package exceeds max size of ${limits.packageBytes} bytes`);
  }
  const zip = await asZipError(() => fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false }));
  const paths = new Set<string>();
  const total = { bytes: 0 };
  for await (const entry of entriesOf(zip)) {
    const path = pathOf(entry);
    if (path === undefined) continue;
    if (paths.has(path)) throw new InvalidAgent(`Skill package contains duplicate path: ${path}`);
    paths.add(path);
    if (paths.size > limits.fileCount) {
      throw new InvalidAgent(`Skill package exceeds max file count of ${limits.fileCount}`);
    }
    yield { path, read: () => inflate({ zip, entry, path, limits, total }) };
  }
}

async function* entriesOf(zip: ZipFile): AsyncIterable<Entry> {
  const entries = zip.eachEntry();
  for (;;) {
    const next = await asZipError(() => entries.next());
    if (next.done === true) return;
    yield next.value;
  }
}

const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;

/** Undefined for a folder. Links and devices have no place in a package. */
function pathOf(entry: Entry): string | undefined {
  const raw: unknown = entry.fileName;
  const name = Buffer.isBuffer(raw)
    ? getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, false)
    : entry.fileName;
  if (/[/\\]$/.test(name)) {
    packagePath(name.slice(0, -1));
    return undefined;
  }
  const path = packagePath(name);
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (type !== 0 && type !== REGULAR_FILE) throw new InvalidAgent(`Invalid skill package path: ${path}`);
  if (entry.isEncrypted()) throw new InvalidAgent(`Invalid skill package zip: ${path} is encrypted`);
  return path;
}

type Inflating = {
  readonly zip: ZipFile;
  readonly entry: Entry;
  readonly path: string;
  readonly limits: PackageLimits;
  readonly total: { bytes: number };
};

async function* inflate({ zip, entry, path, limits, total }: Inflating): AsyncIterable<Uint8Array> {
  const stream = await asZipError(() => zip.openReadStreamPromise(entry));
  const chunks = stream[Symbol.asyncIterator]();
  let size = 0;
  let checksum = 0;
  try {
    for (;;) {
      const next = await asZipError(() => chunks.next());
      if (next.done === true) break;
      const chunk: Buffer = next.value;
      size += chunk.length;
      total.bytes += chunk.length;
      if (size > limits.uncompressedBytes) throw oversized(path);
      if (total.bytes > limits.uncompressedBytes) {
        throw new InvalidAgent(`Skill package exceeds max uncompressed size of ${limits.uncompressedBytes} bytes`);
      }
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } finally {
    stream.destroy();
  }
  if (checksum !== entry.crc32) {
    throw new InvalidAgent(`Invalid skill package zip: the checksum of ${path} does not match its content`);
  }
}

export const oversized = (path: string): InvalidAgent =>
  new InvalidAgent(`Skill package contains oversized file: ${path}`);

/** What the zip reader throws is about the caller's file. */
async function asZipError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidAgent(`Invalid skill package zip: ${reason}`, { cause: error });
  }
}
