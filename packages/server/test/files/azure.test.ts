import { createHash } from "node:crypto";
import { BlobServiceClient } from "@azure/storage-blob";
import { describe, expect, test } from "vitest";
import { describeBackend } from "./backend-suite.ts";
import { hasAzure, isAzureRequired, startAzure, WITHOUT_AZURE } from "./servers.ts";

if (!hasAzure) process.stdout.write(`${WITHOUT_AZURE}\n`);
test.runIf(isAzureRequired)("azurite is installed", () => expect(hasAzure).toBe(true));

describe.skipIf(!hasAzure)("Azure Blob", () => {
  describeBackend(async () => {
    const { connectionString, close } = await startAzure();
    await BlobServiceClient.fromConnectionString(connectionString).createContainer("files");
    return {
      storageType: "AZURE_BLOB",
      settings: {
        "service.file-storage.type": "azure-blob",
        "service.file-storage.azure-blob.container-name": "files",
        "service.file-storage.azure-blob.connection-string": connectionString,
      },
      putHeaders: { "x-ms-blob-type": "BlockBlob" },
      hashOf: (bytes) => createHash("md5").update(bytes).digest("base64"),
      async uploadParts({ uploadUrl, partUrl, parts }) {
        expect(uploadUrl).toContain("sig=");
        const ids: string[] = [];
        for (const [index, body] of parts.entries()) {
          const id = Buffer.from(String(index).padStart(6, "0")).toString("base64");
          const url = `${await partUrl(index + 1)}&comp=block&blockid=${encodeURIComponent(id)}`;
          expect((await fetch(url, { method: "PUT", body })).status).toBe(201);
          ids.push(id);
        }
        return ids;
      },
      close,
    };
  });
});
