import { Readable } from "node:stream";
import { type BlockBlobClient, type ContainerClient, RestError } from "@azure/storage-blob";
import { type AzureOptions, openContainer, signBlobUrl } from "../files/azure.ts";
import type { PayloadSource, PayloadStore } from "./payload-store.ts";

/** Payloads as blobs of a container. Clients reach them by signed URLs. */
export class AzurePayloads implements PayloadStore {
  readonly #options: AzureOptions;
  readonly #container: ContainerClient;

  constructor(options: AzureOptions) {
    this.#options = options;
    this.#container = openContainer(options);
  }

  async put(path: string, { open }: PayloadSource): Promise<boolean> {
    const headers = { blobContentType: "application/json" };
    await this.#blob(path).uploadStream(Readable.from(open()), undefined, undefined, { blobHTTPHeaders: headers });
    return true;
  }

  async find(path: string) {
    try {
      const { contentLength = 0, readableStreamBody } = await this.#blob(path).download();
      return { bytes: contentLength, stream: readableStreamBody as Readable };
    } catch (error) {
      if (error instanceof RestError && error.statusCode === 404) return undefined;
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    await this.#blob(path).deleteIfExists({ deleteSnapshots: "include" });
  }

  async *list(before: number): AsyncGenerator<string> {
    for await (const { name, properties } of this.#container.listBlobsFlat()) {
      if (properties.lastModified.getTime() < before) yield name;
    }
  }

  async locate(path: string, operation: "READ" | "WRITE"): Promise<string> {
    return (await signBlobUrl(this.#blob(path), operation === "READ" ? "r" : "cw", this.#options)).url;
  }

  #blob(path: string): BlockBlobClient {
    return this.#container.getBlockBlobClient(path);
  }
}
