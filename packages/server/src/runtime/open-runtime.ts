import { openSqliteStore } from "@downbeat/store";
import { Runtime, type RuntimeOptions } from "./runtime.ts";

export type OpenOptions = Omit<RuntimeOptions, "store"> & {
  /** Nothing can be stored any more. */
  readonly onStoreFailure?: (error: Error) => void;
};

/** A runtime on the store the settings name. */
export async function openRuntime({ onStoreFailure, ...options }: OpenOptions): Promise<Runtime> {
  const { config } = options;
  const store = openSqliteStore({
    path: config["service.db.url"],
    searchTimeoutMs: config["service.search.timeout"],
    ...(onStoreFailure === undefined ? {} : { onFailure: onStoreFailure }),
  });
  return new Runtime({ ...options, store });
}
