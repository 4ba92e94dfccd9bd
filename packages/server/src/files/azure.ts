import { randomUUID } from "node:crypto";
import {
  BlobSASPermissions,
  BlobServiceClient,
  type BlockBlobClient,
  type ContainerClient,
  RestError,
} from "@azure/storage-blob";
import type { StoredObject } from "./file-record.ts";
import {
  type FilePlace,
  type FileStorage,
  type MultipartStorage,
  objectName,
  type SignedUrl,
  StorageRefusal,
} from "./file-storage.ts";

export type AzureOptions = {
  readonly container: string;
  readonly connectionString: string;
  readonly expirationMs: number;
  readonly now: () => number;
};

/** Clocks of clients and of the store differ: a URL is good a little before it was made. */
const CLOCK_SKEW_MS = 300_000;

/** Someone waits for every request: a store that is away is known to be so after a second or two. */
const retryOptions = { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1000 };

export const openContainer = ({ connectionString, container }: AzureOptions): ContainerClient =>
  BlobServiceClient.fromConnectionString(connectionString, { retryOptions }).getContainerClient(container);

/** Files in a container of Azure Blob Storage. Clients put blocks to the signed URL themselves, and name them at the end. */
export class AzureFiles implements FileStorage {
  readonly storageType = "AZURE_BLOB";
  readonly multipart: MultipartStorage;
  readonly #options: AzureOptions;
  readonly #container: ContainerClient;

  constructor(options: AzureOptions) {
    this.#options = options;
    this.#container = openContainer(options);
    this.multipart = this.#multipart();
  }

  readonly uploadHeaders = { "x-ms-blob-type": "BlockBlob" };

  uploadUrl(place: FilePlace): Promise<SignedUrl> {
    return signBlobUrl(this.#blob(place), "cw", this.#options);
  }

  downloadUrl(place: FilePlace): Promise<SignedUrl> {
    return signBlobUrl(this.#blob(place), "r", this.#options);
  }

  async find(place: FilePlace): Promise<StoredObject | undefined> {
    try {
      const { contentLength = 0, contentMD5, etag = "" } = await this.#blob(place).getProperties();
      // Blobs put together of blocks have no MD5: what changes with every write is still a hash to compare by.
      const hash = contentMD5 === undefined ? etag.replaceAll('"', "") : Buffer.from(contentMD5).toString("base64");
      return { size: contentLength, hash };
    } catch (error) {
      if (error instanceof RestError && error.statusCode === 404) return undefined;
      throw error;
    }
  }

  async remove(place: FilePlace): Promise<void> {
    await this.#blob(place).deleteIfExists({ deleteSnapshots: "include" });
  }

  #blob(place: FilePlace): BlockBlobClient {
    return this.#container.getBlockBlobClient(objectName(place));
  }

  #multipart(): MultipartStorage {
    return {
      initiate: async (place) => ({ uploadId: randomUUID(), uploadUrl: (await this.uploadUrl(place)).url }),
      partUrl: (place) => this.uploadUrl(place),
      complete: async (place, _uploadId, partETags) => {
        try {
          await this.#blob(place).commitBlockList([...partETags]);
        } catch (error) {
          const isTheirs = error instanceof RestError && error.statusCode === 400;
          if (!isTheirs) throw error;
          // A list that was committed before is not there to be committed again: then the blob is.
          if ((await this.find(place)) !== undefined) return;
          throw new StorageRefusal(`The blocks do not fit: ${error.code ?? error.message}`, { cause: error });
        }
      },
      // Blocks that nobody commits go by themselves after a week.
      abort: async () => undefined,
    };
  }
}

/** `permissions` as Azure writes them: r to read, c and w to create and write. */
export async function signBlobUrl(
  blob: BlockBlobClient,
  permissions: string,
  { expirationMs, now }: Pick<AzureOptions, "expirationMs" | "now">,
): Promise<SignedUrl> {
  const expiresAt = now() + expirationMs;
  const url = await blob.generateSasUrl({
    permissions: BlobSASPermissions.parse(permissions),
    startsOn: new Date(now() - CLOCK_SKEW_MS),
    expiresOn: new Date(expiresAt),
  });
  return { url, expiresAt };
}
