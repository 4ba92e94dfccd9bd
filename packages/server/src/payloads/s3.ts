import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { openS3, type S3Options } from "../files/s3.ts";
import type { PayloadSource, PayloadStore } from "./payload-store.ts";

const TYPE = "application/json";

/** Payloads as objects of a bucket. Clients reach them by signed URLs. */
export class S3Payloads implements PayloadStore {
  readonly #client: S3Client;
  readonly #options: Omit<S3Options, "now">;

  constructor(options: Omit<S3Options, "now">) {
    this.#client = openS3(options);
    this.#options = options;
  }

  async put(path: string, { bytes, open }: PayloadSource): Promise<boolean> {
    const Body = Readable.from(open());
    await this.#client.send(
      new PutObjectCommand({ ...this.#object(path), Body, ContentLength: bytes, ContentType: TYPE }),
    );
    return true;
  }

  async find(path: string) {
    try {
      const { Body, ContentLength = 0 } = await this.#client.send(new GetObjectCommand(this.#object(path)));
      return { bytes: ContentLength, stream: Body as Readable };
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined;
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#object(path)));
  }

  async *list(before: number): AsyncGenerator<string> {
    for await (const page of paginateListObjectsV2({ client: this.#client }, { Bucket: this.#options.bucket })) {
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key !== undefined && LastModified !== undefined && LastModified.getTime() < before) yield Key;
      }
    }
  }

  async locate(path: string, operation: "READ" | "WRITE"): Promise<string> {
    const command =
      operation === "READ"
        ? new GetObjectCommand(this.#object(path))
        : new PutObjectCommand({ ...this.#object(path), ContentType: TYPE });
    const expiresIn = Math.ceil(this.#options.expirationMs / 1000);
    return await getSignedUrl(this.#client, command as GetObjectCommand, { expiresIn });
  }

  close(): void {
    this.#client.destroy();
  }

  #object(path: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.bucket, Key: path };
  }
}
