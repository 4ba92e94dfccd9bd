import type { Json, JsonObject } from "@downbeat/engine";
import type { Store } from "@downbeat/store";
import { readPayload } from "../events/sinks/sink.ts";
import type { NamedWebhook } from "./webhook.ts";

const COLLECTION = "webhook";
const PAGE = 1000;

/** The webhooks there are. They are read when they are asked for: another server may have changed them. */
export class Webhooks {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async all(): Promise<readonly NamedWebhook[]> {
    const all: NamedWebhook[] = [];
    for (let start = 0; ; start += PAGE) {
      const page = await this.#store.documents.list(COLLECTION, { start, limit: PAGE });
      all.push(...page.map(({ body }) => JSON.parse(body) as NamedWebhook));
      if (page.length < PAGE) return all;
    }
  }

  async find(name: string): Promise<NamedWebhook | undefined> {
    const body = await this.#store.documents.find(COLLECTION, name);
    return body === undefined ? undefined : (JSON.parse(body) as NamedWebhook);
  }

  /** False when it must be new and is not. */
  async put(webhook: NamedWebhook, mustBeNew: boolean): Promise<boolean> {
    const document = { collection: COLLECTION, id: webhook.name, body: JSON.stringify(webhook), mustBeNew };
    return (await this.#store.commit({ kind: "put-documents", documents: [document] })).kind === "done";
  }

  async remove(name: string): Promise<void> {
    await this.#store.commit({ kind: "delete-documents", collection: COLLECTION, ids: [name] });
  }
}

/** The event that handlers of a webhook listen to. */
export const webhookEvent = (name: string): string => `webhook:${name}`;

type Request = {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: JsonObject;
  readonly body: string;
};

/** What handlers get of a request. Headers that prove who sent it are not for them. */
export function webhookPayload({ header = "" }: NamedWebhook, { headers, query, body }: Request): Json {
  const shown = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !hidden.has(name) && name !== header.toLowerCase(),
  );
  return { headers: Object.fromEntries(shown) as JsonObject, query, body: readBody(headers["content-type"], body) };
}

const hidden = new Set(["authorization", "x-authorization", "proxy-authorization", "cookie", "webhook-signature"]);

function readBody(contentType = "", body: string): Json {
  if (contentType.toLowerCase().startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(body));
  return readPayload(body);
}
