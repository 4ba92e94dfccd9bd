import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { StoredObject } from "./file-record.ts";
import {
  type FilePlace,
  type FileStorage,
  type MultipartStorage,
  objectName,
  type SignedUrl,
  StorageRefusal,
} from "./file-storage.ts";

export type S3Options = {
  readonly bucket: string;
  readonly region: string;
  /** Empty: the region's own. */
  readonly endpoint: string;
  readonly forcePathStyle: boolean;
  readonly expirationMs: number;
  readonly now: () => number;
};

/** A client for the store the settings name. Credentials come from where the AWS tools look for them. */
export const openS3 = ({
  region,
  endpoint,
  forcePathStyle,
}: Pick<S3Options, "region" | "endpoint" | "forcePathStyle">) =>
  new S3Client({
    region,
    forcePathStyle,
    ...(endpoint === "" ? {} : { endpoint }),
    // Otherwise a presigned upload carries the checksum of an empty body, and other bytes are refused.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });

/** What a completion answers when the caller's list of parts does not fit. */
const refusals = new Set(["InvalidPart", "InvalidPartOrder", "EntityTooSmall", "MalformedXML"]);

/** Files in a bucket of S3, or of any store that speaks its protocol. */
export class S3Files implements FileStorage {
  readonly storageType = "S3";
  readonly multipart: MultipartStorage;
  readonly #options: S3Options;
  readonly #client: S3Client;

  constructor(options: S3Options) {
    this.#options = options;
    this.#client = openS3(options);
    this.multipart = this.#multipart();
  }

  uploadUrl(place: FilePlace): Promise<SignedUrl> {
    return this.#sign(new PutObjectCommand(this.#object(place)));
  }

  downloadUrl(place: FilePlace): Promise<SignedUrl> {
    return this.#sign(new GetObjectCommand(this.#object(place)));
  }

  async find(place: FilePlace): Promise<StoredObject | undefined> {
    try {
      const { ContentLength = 0, ETag = "" } = await this.#client.send(new HeadObjectCommand(this.#object(place)));
      return { size: ContentLength, hash: ETag.replaceAll('"', "") };
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined;
      throw error;
    }
  }

  async remove(place: FilePlace): Promise<void> {
    const { Bucket, Key } = this.#object(place);
    const { Uploads = [] } = await this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
    for (const { UploadId } of Uploads) if (UploadId !== undefined) await this.multipart.abort(place, UploadId);
    await this.#client.send(new DeleteObjectCommand({ Bucket, Key }));
  }

  close(): void {
    this.#client.destroy();
  }

  #object(place: FilePlace): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: objectName(place) };
  }

  async #sign(command: PutObjectCommand | GetObjectCommand | UploadPartCommand): Promise<SignedUrl> {
    const { expirationMs, now } = this.#options;
    const url = await getSignedUrl(this.#client, command as PutObjectCommand, {
      expiresIn: Math.ceil(expirationMs / 1000),
    });
    return { url, expiresAt: now() + expirationMs };
  }

  #multipart(): MultipartStorage {
    return {
      initiate: async (place) => {
        const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(this.#object(place)));
        if (UploadId === undefined) throw new Error("Expected the store to name the upload it began");
        return { uploadId: UploadId, uploadUrl: null };
      },
      partUrl: (place, uploadId, partNumber) =>
        this.#sign(new UploadPartCommand({ ...this.#object(place), UploadId: uploadId, PartNumber: partNumber })),
      complete: async (place, uploadId, partETags) => {
        const Parts = partETags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
        const command = new CompleteMultipartUploadCommand({
          ...this.#object(place),
          UploadId: uploadId,
          MultipartUpload: { Parts },
        });
        try {
          await this.#client.send(command);
        } catch (error) {
          if (!(error instanceof S3ServiceException)) throw error;
          if (refusals.has(error.name))
            throw new StorageRefusal(`The parts do not fit: ${error.message}`, { cause: error });
          // Completed before, by a request whose answer got lost, or never begun: whether the object is there tells.
          if (error.name !== "NoSuchUpload") throw error;
        }
      },
      abort: async (place, uploadId) => {
        try {
          await this.#client.send(new AbortMultipartUploadCommand({ ...this.#object(place), UploadId: uploadId }));
        } catch (error) {
          if (!(error instanceof S3ServiceException) || error.name !== "NoSuchUpload") throw error;
        }
      },
    };
  }
}
