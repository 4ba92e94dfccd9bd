import type { Store } from "@downbeat/store";
import { type Config, ConfigError } from "../config.ts";
import type { Logger } from "../log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Peers } from "../runtime/peers.ts";
import { environmentSecrets, type NamedValues } from "../secrets.ts";
import { readSealKey, type Sealed, type SealKey, seal, unseal } from "./seal.ts";

const COLLECTION = "secret";
const PAGE = 1000;

/** What may be told of a secret. Times are absent where the environment holds it. */
export type SecretInfo = { readonly name: string; readonly created_at?: number; readonly updated_at?: number };

type Stored = Sealed & { readonly createdAt: number; readonly updatedAt: number };

export type SecretsOptions = {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Values by name for `${workflow.secrets.NAME}`, the credentials of workers and the headers of tools. Those of the
 * environment can only be read; those of the database are sealed there and in memory, and opened when one is asked for.
 */
export class Secrets implements NamedValues {
  readonly #options: SecretsOptions;
  readonly #type: Config["service.secrets.type"];
  readonly #environment: NamedValues;
  readonly #stored = new Map<string, Stored>();
  readonly #keys: readonly SealKey[];

  constructor(options: SecretsOptions) {
    const { config, env, peers } = options;
    this.#options = options;
    this.#type = config["service.secrets.type"];
    // Without a prefix the whole environment would be secrets, our own key among them.
    const prefix = config["service.secrets.env.prefix"].trim() || undefined;
    this.#environment = environmentSecrets(this.#type === "noop" ? {} : env, prefix);
    this.#keys = this.isWritable ? readKeys(config) : [];
    peers.share(COLLECTION, () => this.#read());
  }

  get isWritable(): boolean {
    return this.#type === "database";
  }

  /** Why nothing can be written; undefined when it can. */
  get refusal(): string | undefined {
    if (this.isWritable) return undefined;
    return this.#type === "noop" ? "secrets are disabled" : "env-backed secrets are read-only";
  }

  /** Reads what is stored. What an older key sealed is sealed anew, so that the older key can go. */
  async load(): Promise<void> {
    if (!this.isWritable) return;
    await this.#read();
    const [current] = this.#keys;
    for (const [name, stored] of this.#stored) {
      if (current === undefined || stored.keyId === current.id) continue;
      const value = this.#open(name, stored);
      if (value === undefined) continue;
      await this.#write(name, { ...stored, ...seal(current, name, value) });
    }
  }

  find(name: string): string | undefined {
    const stored = this.#stored.get(name);
    return (stored === undefined ? undefined : this.#open(name, stored)) ?? this.#environment.find(name);
  }

  names(): string[] {
    return [...new Set([...this.#stored.keys(), ...this.#environment.names()])].sort();
  }

  list(): SecretInfo[] {
    return this.names().map((name) => {
      const stored = this.#stored.get(name);
      return stored === undefined ? { name } : { name, created_at: stored.createdAt, updated_at: stored.updatedAt };
    });
  }

  /** Resolves when it is on disk and every server knows it. */
  async put(name: string, value: string): Promise<void> {
    const [key] = this.#keys;
    if (key === undefined) throw new Error(this.refusal);
    const now = this.#options.clock();
    const createdAt = this.#stored.get(name)?.createdAt ?? now;
    await this.#write(name, { ...seal(key, name, value), createdAt, updatedAt: now });
    await this.#options.peers.changed(COLLECTION);
  }

  async remove(name: string): Promise<void> {
    await this.#options.store.commit({ kind: "delete-documents", collection: COLLECTION, ids: [name] });
    this.#stored.delete(name);
    await this.#options.peers.changed(COLLECTION);
  }

  async #write(name: string, stored: Stored): Promise<void> {
    const document = { collection: COLLECTION, id: name, body: JSON.stringify(stored), mustBeNew: false };
    await this.#options.store.commit({ kind: "put-documents", documents: [document] });
    this.#stored.set(name, stored);
  }

  async #read(): Promise<void> {
    if (!this.isWritable) return;
    const found = new Map<string, Stored>();
    for (let start = 0; ; start += PAGE) {
      const page = await this.#options.store.documents.list(COLLECTION, { start, limit: PAGE });
      for (const { id, body } of page) found.set(id, JSON.parse(body) as Stored);
      if (page.length < PAGE) break;
    }
    this.#stored.clear();
    for (const [name, stored] of found) this.#stored.set(name, stored);
  }

  #open(name: string, stored: Stored): string | undefined {
    const key = this.#keys.find(({ id }) => id === stored.keyId);
    try {
      if (key !== undefined) return unseal(key, name, stored);
    } catch {
      // Said below: the text was changed, or belongs to another name.
    }
    this.#options.log.error("A secret cannot be opened: its key is neither the current nor a previous one", { name });
    return undefined;
  }
}

/** The current key first. A store that cannot seal does not start. */
function readKeys(config: Config): readonly SealKey[] {
  const current = readSealKey(config["service.secrets.key"]);
  if (current === undefined) {
    throw new ConfigError([
      "Expected service.secrets.key to be 32 bytes as base64 or 64 hexadecimal digits, because service.secrets.type is database; `openssl rand -base64 32` makes one",
    ]);
  }
  const texts = config["service.secrets.previous-keys"].split(",").filter((text) => text.trim() !== "");
  const previous = texts.map((text, index) => {
    const key = readSealKey(text);
    if (key !== undefined) return key;
    throw new ConfigError([`Expected key ${index + 1} of service.secrets.previous-keys to be 32 bytes`]);
  });
  return [current, ...previous];
}
