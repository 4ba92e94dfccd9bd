import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { openSqliteStore, type Store } from "@downbeat/store";
import type { Config } from "../config.ts";
import { Runtime, type RuntimeOptions } from "./runtime.ts";

export type OpenOptions = Omit<RuntimeOptions, "store"> & {
  /** Nothing can be stored any more. */
  readonly onStoreFailure?: (error: Error) => void;
};

/** A runtime on the store the settings name. */
export async function openRuntime({ onStoreFailure, ...options }: OpenOptions): Promise<Runtime> {
  return new Runtime({ ...options, store: await openStore(options.config, onStoreFailure) });
}

async function openStore(config: Config, onFailure: OpenOptions["onStoreFailure"]): Promise<Store> {
  const common = {
    searchTimeoutMs: config["service.search.timeout"],
    ...(onFailure === undefined ? {} : { onFailure }),
  };
  if (config["service.db.type"] === "sqlite") return openSqliteStore({ path: config["service.db.url"], ...common });
  // Nobody loads its client who does not use it.
  const { openPostgresStore } = await import("@downbeat/store/postgres");
  const node = config["service.node.name"] || `${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`;
  return openPostgresStore({ url: postgresUrl(config), node, ...common });
}

function postgresUrl(config: Config): string {
  const url = new URL(config["service.db.url"]);
  if (url.username === "") url.username = encodeURIComponent(config["service.db.username"]);
  if (url.password === "") url.password = encodeURIComponent(config["service.db.password"]);
  return url.href;
}
