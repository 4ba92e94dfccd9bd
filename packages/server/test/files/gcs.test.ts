import { createHash, generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { aFolder, removeFolder } from "../support/server.ts";
import { describeBackend } from "./backend-suite.ts";
import { startGcs } from "./gcs-server.ts";

describe("Google Cloud Storage", () => {
  describeBackend(async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { endpoint, close } = await startGcs(publicKey);
    const folder = aFolder();
    const credentialsFile = join(folder, "credentials.json");
    writeFileSync(
      credentialsFile,
      JSON.stringify({
        type: "service_account",
        project_id: "test",
        client_email: "test@test.iam.gserviceaccount.com",
        private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      }),
    );
    return {
      storageType: "GCS",
      settings: {
        "service.file-storage.type": "gcs",
        "service.file-storage.gcs.bucket-name": "files",
        "service.file-storage.gcs.credentials-file": credentialsFile,
        "service.file-storage.gcs.api-endpoint": endpoint,
      },
      hashOf: (bytes) => createHash("md5").update(bytes).digest("base64"),
      async uploadParts({ uploadUrl, partUrl, parts }) {
        const total = parts.reduce((sum, { length }) => sum + length, 0);
        let first = 0;
        for (const [index, body] of parts.entries()) {
          const url = await partUrl(index + 1);
          expect(url).toBe(uploadUrl);
          const range = `bytes ${first}-${first + body.length - 1}/${total}`;
          const { status } = await fetch(url, { method: "PUT", body, headers: { "content-range": range } });
          first += body.length;
          expect(status).toBe(first === total ? 200 : 308);
        }
        return [];
      },
      async close() {
        await close();
        removeFolder(folder);
      },
    };
  });
});
