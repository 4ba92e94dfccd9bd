import { type Config, type ConfigRecord, type Logger, recordField } from "@downbeat/server";
import { TerminalError } from "../errors.ts";
import { openEmbedded } from "./embedded.ts";
import { openInstance, type StoreType, storeType } from "./instances.ts";
import type { VectorStore } from "./port.ts";

export type VectorStores = {
  /** By the name a task gives; opened when it is first asked for. */
  readonly find: (name: string) => Promise<VectorStore>;
  readonly close: () => Promise<void>;
};

type Instance = { readonly name: string; readonly type: StoreType; readonly record: ConfigRecord };

/** The name of the embedded store. */
const DEFAULT = "default";

/** The stores of the settings, and the embedded one, which is always there. */
export function openVectorStores(config: Config, log: Logger): VectorStores {
  const instances = config["service.vectordb.instances"].flatMap((record) => readInstance(record, log));
  const embedded = openEmbedded(embeddedFile(config));
  const opened = new Map<Instance, Promise<VectorStore>>();

  function open(instance: Instance): Promise<VectorStore> {
    const known = opened.get(instance);
    if (known !== undefined) return known;
    const opening = openInstance(instance.record, instance.type, embedded);
    opened.set(instance, opening);
    // What could not be opened may be there the next time.
    opening.catch(() => opened.delete(instance));
    return opening;
  }

  return {
    async find(name) {
      const instance = choose(instances, name.trim());
      if (instance !== undefined) return await open(instance);
      if (isEmbedded(name.trim())) return embedded;
      throw new TerminalError(`VectorDB not found: ${name}`);
    },
    async close() {
      for (const store of await Promise.allSettled(opened.values())) {
        if (store.status === "fulfilled") await store.value.close();
      }
      await embedded.close();
    },
  };
}

function embeddedFile(config: Config): string {
  const named = config["service.vectordb.embedded.file"];
  if (named !== "") return named;
  return config["service.db.type"] === "sqlite" ? `${config["service.db.url"]}.vectors` : "./data/vectors.db";
}

/** One that cannot be used is left out, as the tasks that name it will say. */
function readInstance(record: ConfigRecord, log: Logger): readonly Instance[] {
  const name = recordField(record, "name");
  const word = recordField(record, "type") ?? "";
  const type = storeType(word);
  if (name !== undefined && type !== undefined) return [{ name, type, record }];
  log.error("Expected each of service.vectordb.instances to have a name and a known type; this one is left out", {
    name: name ?? "",
    type: word,
  });
  return [];
}

/** By its own name, else by the name of a type that one instance alone has: the clients' enums use those as names. */
function choose(instances: readonly Instance[], name: string): Instance | undefined {
  const named = instances.find((instance) => instance.name === name);
  if (named !== undefined) return named;
  const type = storeType(name);
  const ofType = instances.filter((instance) => instance.type === type);
  return ofType.length === 1 ? ofType[0] : undefined;
}

const isEmbedded = (name: string): boolean => name === "" || name === DEFAULT || storeType(name) === "sqlite";
