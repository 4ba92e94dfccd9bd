import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Config, ConfigError } from "../config.ts";
import { conflict } from "../http/errors.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { FileNotes } from "./file-notes.ts";
import type { FileStorage } from "./file-storage.ts";
import { LocalFiles } from "./local.ts";
import { parseSigningKeys, type SigningKey, UrlSigner } from "./url-signer.ts";

/** The backend the settings name. Clients of cloud stores are loaded only here, and only when asked for. */
export async function openFileStorage(
  runtime: Runtime,
  notes: FileNotes,
): Promise<{ readonly storage: FileStorage; readonly local: LocalFiles | undefined }> {
  const { config, clock } = runtime;
  const expirationMs = config["service.file-storage.signed-url-expiration"];
  switch (config["service.file-storage.type"]) {
    case "local":
    case "service":
    case "conductor": {
      const local = await openLocal(runtime, notes);
      return { storage: local, local };
    }
    case "s3": {
      const { S3Files } = await import("./s3.ts");
      return cloud(
        new S3Files({
          bucket: required(config, "service.file-storage.s3.bucket-name"),
          region: config["service.file-storage.s3.region"],
          endpoint: config["service.file-storage.s3.endpoint"],
          forcePathStyle: config["service.file-storage.s3.force-path-style"],
          expirationMs,
          now: clock,
        }),
      );
    }
    case "gcs": {
      const { GcsFiles } = await import("./gcs.ts");
      return cloud(
        new GcsFiles({
          bucket: required(config, "service.file-storage.gcs.bucket-name"),
          projectId: config["service.file-storage.gcs.project-id"],
          credentials: await readCredentials(config["service.file-storage.gcs.credentials-file"]),
          apiEndpoint: config["service.file-storage.gcs.api-endpoint"],
          expirationMs,
          now: clock,
          store: runtime.store,
        }),
      );
    }
    case "azure-blob": {
      const { AzureFiles } = await import("./azure.ts");
      return cloud(
        new AzureFiles({
          container: required(config, "service.file-storage.azure-blob.container-name"),
          connectionString: required(config, "service.file-storage.azure-blob.connection-string"),
          expirationMs,
          now: clock,
        }),
      );
    }
  }
}

const cloud = (storage: FileStorage) => ({ storage, local: undefined });

type TextKey = { [K in keyof Config]: Config[K] extends string ? K : never }[keyof Config];

function required(config: Config, key: TextKey): string {
  const value = config[key];
  if (value === "")
    throw new ConfigError([
      `Expected ${key} to be set for service.file-storage.type=${config["service.file-storage.type"]}`,
    ]);
  return value;
}

async function readCredentials(file: string): Promise<object | undefined> {
  if (file === "") return undefined;
  try {
    return JSON.parse(await readFile(file, "utf8")) as object;
  } catch (cause) {
    const problem = `Expected a JSON key file at service.file-storage.gcs.credentials-file, got: ${(cause as Error).message}`;
    throw new ConfigError([problem], { cause });
  }
}

async function openLocal(runtime: Runtime, notes: FileNotes): Promise<LocalFiles> {
  const { config, clock } = runtime;
  const baseUrl = config["service.file-storage.local.base-url"];
  if (baseUrl !== "" && !/^https?:\/\/[^/]/i.test(baseUrl)) {
    throw new ConfigError([
      `Expected service.file-storage.local.base-url to be an http or https URL, got "${baseUrl}"`,
    ]);
  }
  return new LocalFiles({
    storageType: config["service.brand"] === "conductor" ? "CONDUCTOR" : "SERVICE",
    directory: config["service.file-storage.local.directory"] || defaultDirectory(config),
    baseUrl,
    maxBytes: config["service.file-storage.local.max-size"],
    expirationMs: config["service.file-storage.signed-url-expiration"],
    signer: config["service.file-storage.local.signing.enabled"] ? await openSigner(runtime) : undefined,
    now: clock,
    isShared: config["service.db.type"] !== "sqlite",
    content: {
      async put(fileId, object) {
        const record = await notes.find(fileId);
        if (record === undefined || record.uploaded !== undefined) throw notAccepting(fileId);
        await notes.putContent(fileId, object);
      },
      find: (fileId) => notes.findContent(fileId),
      async currentVersion(fileId) {
        const record = await notes.find(fileId);
        return record === undefined ? undefined : (record.uploaded ?? (await notes.findContent(fileId)))?.version;
      },
    },
  });
}

/** Why a file takes no bytes: it has them already. */
export const notAccepting = (fileId: string) => conflict(`File is not accepting content uploads: ${fileId}`);

const defaultDirectory = (config: Config): string =>
  config["service.db.type"] === "sqlite" ? join(dirname(config["service.db.url"]), "files") : join("data", "files");

/** Keys of the configuration, or one that is made up once and kept where all servers of the database find it. */
async function openSigner({ config, store }: Runtime): Promise<UrlSigner> {
  const [first, ...others] = parseSigningKeys(config["service.file-storage.local.signing.keys"]);
  if (first !== undefined) return new UrlSigner([first, ...others]);
  const made = { id: randomBytes(4).toString("hex"), secret: randomBytes(32).toString("base64url") };
  const place = { collection: "file-signing-key", id: "first" };
  const document = { ...place, body: JSON.stringify(made), mustBeNew: true };
  // Whoever comes first keeps the key; the others read it.
  await store.commit({ kind: "put-documents", documents: [document] });
  const kept = await store.documents.find(place.collection, place.id);
  return new UrlSigner([JSON.parse(kept ?? document.body) as SigningKey]);
}
