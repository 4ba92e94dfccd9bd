import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PayloadSource } from "./payload-store.ts";

export type SpoolOptions = {
  readonly folder: string;
  /** Up to so many bytes no file is made. */
  readonly inMemoryBytes: number;
  /** More than this is counted, not kept. */
  readonly mostBytes: number;
};

/** Takes bytes as they come, until it is known what becomes of them: a few in memory, many in a file. */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #file: string;
  #parts: Uint8Array[] = [];
  #handle: FileHandle | undefined;
  bytes = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#file = join(options.folder, `${randomUUID()}.part`);
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.bytes += chunk.length;
    if (this.isTooLarge) return;
    if (this.bytes <= this.#options.inMemoryBytes) {
      this.#parts.push(Uint8Array.from(chunk));
      return;
    }
    if (this.#handle === undefined) {
      await mkdir(this.#options.folder, { recursive: true });
      this.#handle = await open(this.#file, "wx");
      for (const part of this.#parts) await this.#handle.writeFile(part);
      this.#parts = [];
    }
    await this.#handle.writeFile(chunk);
  }

  get isTooLarge(): boolean {
    return this.bytes > this.#options.mostBytes;
  }

  /** All of it, when it is so little that there is no file. */
  get text(): string | undefined {
    const isInMemory = !this.isTooLarge && this.bytes <= this.#options.inMemoryBytes;
    return isInMemory ? Buffer.concat(this.#parts).toString() : undefined;
  }

  async source(): Promise<PayloadSource> {
    await this.#close();
    return { bytes: this.bytes, file: this.#file, open: () => createReadStream(this.#file) };
  }

  async remove(): Promise<void> {
    await this.#close();
    await rm(this.#file, { force: true });
  }

  async #close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }
}
