/** Bytes as text: by their mark, else by the set the document names, else UTF-8, else the one that reads anything. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  const [, named] = /<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w-]+)/i.exec(start) ?? [];
  for (const charset of [named ?? "utf-8", "utf-8"]) {
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes);
    } catch {
      // Not what it says it is, or a set nobody knows: the next one.
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}
