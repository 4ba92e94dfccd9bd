import { TerminalError } from "../errors.ts";

/** The whole body; one that is longer fails the task for good, before more of it is read. */
export async function readBytes(response: Response, maxBytes: number, message?: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes)
      throw new TerminalError(message ?? `Expected an answer of at most ${maxBytes} bytes, got more`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
