import { createHash } from "node:crypto";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, test } from "vitest";
import { describeBackend } from "./backend-suite.ts";
import { hasS3, isS3Required, startS3, WITHOUT_S3 } from "./servers.ts";

if (!hasS3) process.stdout.write(`${WITHOUT_S3}\n`);
test.runIf(isS3Required)("moto is installed", () => expect(hasS3).toBe(true));

describe.skipIf(!hasS3)("S3", () => {
  describeBackend(async () => {
    const { endpoint, close } = await startS3();
    const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: "files" }));
    client.destroy();
    return {
      storageType: "S3",
      settings: {
        "service.file-storage.type": "s3",
        "service.file-storage.s3.bucket-name": "files",
        "service.file-storage.s3.endpoint": endpoint,
        "service.file-storage.s3.force-path-style": "true",
      },
      hashOf: (bytes) => createHash("md5").update(bytes).digest("hex"),
      async uploadParts({ uploadUrl, partUrl, parts }) {
        expect(uploadUrl).toBeNull();
        const tags = parts.map(async (body, index) => {
          const answer = await fetch(await partUrl(index + 1), { method: "PUT", body });
          expect(answer.status).toBe(200);
          return answer.headers.get("etag") ?? "";
        });
        return await Promise.all(tags);
      },
      close,
    };
  });
});
