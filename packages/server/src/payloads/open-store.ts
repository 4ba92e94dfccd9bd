import { ConfigError } from "../config.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { DatabasePayloads } from "./database.ts";
import { LocalPayloads } from "./local.ts";
import type { PayloadStore } from "./payload-store.ts";

/** The payload store the settings name. Clients of cloud stores are loaded only here, and only when asked for. */
export async function openPayloadStore({
  config,
  store,
  clock,
}: Pick<Runtime, "config" | "store" | "clock">): Promise<PayloadStore> {
  const expirationMs = config["service.external-payload-storage.signedUrlExpirationDuration"];
  const isEmbedded = config["service.db.type"] === "sqlite";
  const type = config["service.external-payload-storage.type"];
  switch (type === "auto" ? (isEmbedded ? "local" : "database") : type) {
    case "local":
    case "dummy": {
      const beside = isEmbedded ? `${config["service.db.url"]}.payloads` : "data/payloads";
      return new LocalPayloads(config["service.external-payload-storage.local.directory"] || beside);
    }
    case "database":
    case "postgres":
      return new DatabasePayloads(store, clock);
    case "s3": {
      const { S3Payloads } = await import("./s3.ts");
      return new S3Payloads({
        bucket: config["service.external-payload-storage.s3.bucketName"],
        region: config["service.external-payload-storage.s3.region"],
        endpoint: config["service.external-payload-storage.s3.endpoint"],
        forcePathStyle: config["service.external-payload-storage.s3.force-path-style"],
        expirationMs,
      });
    }
    case "azureblob": {
      const connectionString = config["service.external-payload-storage.azureblob.connectionString"];
      if (connectionString === "") {
        throw new ConfigError(["Missing property for service.external-payload-storage.azureblob.connectionString"]);
      }
      const { AzurePayloads } = await import("./azure.ts");
      const container = config["service.external-payload-storage.azureblob.containerName"];
      return new AzurePayloads({ container, connectionString, expirationMs, now: clock });
    }
  }
}
