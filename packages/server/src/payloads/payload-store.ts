import type { Readable } from "node:stream";

/** Bytes to be stored, read when the store is ready for them. */
export type PayloadSource = {
  readonly bytes: number;
  readonly open: () => AsyncIterable<Uint8Array>;
  /** A file of this machine that holds them and that nobody else wants: a store may take it over. */
  readonly file?: string;
};

/** Where large payloads lie, by path. */
export interface PayloadStore {
  /** A folder on the same disk, where files can be made to be taken over. */
  readonly spoolFolder?: string;
  /** Whole or not at all; what was there is replaced. False when there can be nothing of this path. */
  put(path: string, source: PayloadSource): Promise<boolean>;
  find(path: string): Promise<{ readonly bytes: number; readonly stream: Readable } | undefined>;
  /** Not an error when there is none. */
  remove(path: string): Promise<void>;
  /** Everything that was stored before that moment. */
  list(before: number): AsyncIterable<string>;
  /** Where a client puts or fetches a payload itself; absent: at this server. */
  locate?(path: string, operation: "READ" | "WRITE"): Promise<string>;
  close?(): void;
}

const SLICE = 256 * 1024;

/** A text as bytes, a piece at a time: large ones are never there twice. */
export function textSource(text: string, bytes: number): PayloadSource {
  return {
    bytes,
    async *open() {
      for (let at = 0; at < text.length; ) {
        let end = Math.min(at + SLICE, text.length);
        // Two halves of one character stay together.
        if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
        yield Buffer.from(text.slice(at, end));
        at = end;
      }
    },
  };
}
