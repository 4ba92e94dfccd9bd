import { Worker } from "node:worker_threads";
import type { Json, JsonObject } from "@downbeat/engine";
import { createSchemaRules } from "./schema-rules.ts";
import type { SchemaAnswer, SchemaQuestion } from "./schema-thread.ts";

const TIMEOUT_MS = 1000;

/**
 * Checks values against JSON schemas. Most schemas take time in proportion to the value and are checked on the spot. A
 * pattern may take for ever, so schemas that have one are checked in a thread that can be killed.
 */
export class SchemaCheck {
  readonly #rules = createSchemaRules();
  readonly #isBounded = new WeakMap<JsonObject, boolean>();
  readonly #waiting = new Map<number, (violation: string | undefined) => void>();
  #worker: Worker | undefined;
  #nextId = 1;

  /** True when `check` answers at once. */
  isBounded(schema: JsonObject): boolean {
    let isBounded = this.#isBounded.get(schema);
    if (isBounded === undefined) {
      isBounded = !/"(?:pattern|patternProperties|uniqueItems)"/.test(JSON.stringify(schema));
      this.#isBounded.set(schema, isBounded);
    }
    return isBounded;
  }

  /** The first violation, in words; undefined when the value fits. */
  check(schema: JsonObject, value: Json): string | undefined | Promise<string | undefined> {
    return this.isBounded(schema) ? this.#rules(schema, value) : this.#ask(schema, value);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(schema: JsonObject, value: Json): Promise<string | undefined> {
    const worker = this.#thread();
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        // Whoever else waits is behind the one that hangs: each asks the next thread.
        if (this.#worker === worker) this.#worker = undefined;
        void worker.terminate();
        this.#waiting.delete(id);
        resolve(`value could not be checked within ${TIMEOUT_MS} ms`);
      }, TIMEOUT_MS);
      this.#waiting.set(id, (violation) => {
        clearTimeout(giveUp);
        resolve(violation);
      });
      worker.postMessage({ id, schema, value } satisfies SchemaQuestion);
    });
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL("./schema-thread.ts", import.meta.url));
    worker.unref();
    worker.on("message", ({ id, violation }: SchemaAnswer) => {
      this.#waiting.get(id)?.(violation);
      this.#waiting.delete(id);
    });
    this.#worker = worker;
    return worker;
  }
}
