import { mimeTypeOf } from "../media/mime-types.ts";

/** What is said of a document, by whom it is believed least last. */
export type Hints = {
  /** By the task; `auto` says nothing. */
  readonly mediaType: string | undefined;
  /** By the server it came from. */
  readonly contentType: string | undefined;
  /** Its URL or path. */
  readonly location: string | undefined;
};

/**
 * The type of a document: what its first bytes show goes before what anybody says of it. A zip is only known as such: what
 * it holds is for whoever opens it.
 */
export function mediaTypeOf(bytes: Uint8Array, { mediaType, contentType, location }: Hints): string {
  const shown = signatures.find(({ matches }) => matches(bytes))?.type;
  if (shown !== undefined) return shown;
  const said = [mediaType, contentType, location === undefined ? undefined : mimeTypeOf(location)]
    .map((type) => type?.split(";")[0]?.trim().toLowerCase())
    .find((type) => type !== undefined && !saysNothing.has(type));
  if (said !== undefined && said !== "text/plain") return said;
  return looksLikeHtml(bytes) ? "text/html" : isText(bytes) ? "text/plain" : (said ?? "application/octet-stream");
}

const saysNothing: ReadonlySet<string> = new Set([
  "",
  "auto",
  "application/octet-stream",
  "binary/octet-stream",
  "application/x-download",
  "application/zip",
]);

const startsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte);

const latin1 = (bytes: Uint8Array, length: number): string => Buffer.from(bytes.subarray(0, length)).toString("latin1");

const signatures: readonly { readonly type: string; readonly matches: (bytes: Uint8Array) => boolean }[] = [
  { type: "application/pdf", matches: (bytes) => latin1(bytes, 1024).includes("%PDF-") },
  { type: "application/zip", matches: (bytes) => startsWith(bytes, 0x50, 0x4b, 0x03, 0x04) },
  { type: "application/x-ole-storage", matches: (bytes) => startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0) },
  { type: "application/rtf", matches: (bytes) => latin1(bytes, 5) === "{\\rtf" },
  { type: "image/png", matches: (bytes) => startsWith(bytes, 0x89, 0x50, 0x4e, 0x47) },
  { type: "image/jpeg", matches: (bytes) => startsWith(bytes, 0xff, 0xd8, 0xff) },
  { type: "image/gif", matches: (bytes) => latin1(bytes, 4) === "GIF8" },
];

const looksLikeHtml = (bytes: Uint8Array): boolean =>
  /^\s*(<!--[\s\S]*?-->\s*)*<(!doctype html|html|head|body)[\s>]/i.test(latin1(bytes, 2048).replace(/^ï»¿/, ""));

/** Zeros do not stand in texts, but in UTF-16, which says so at its start. */
function isText(bytes: Uint8Array): boolean {
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)) return true;
  return !bytes.subarray(0, 8192).includes(0);
}
