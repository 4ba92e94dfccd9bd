import { Worker } from "node:worker_threads";
import type { Json, JsonObject } from "@downbeat/engine";
import { createSchemaRules } from "./schema-rules.ts";
import type { SchemaAnswer, SchemaQuestion } from "./schema-thread.ts";

const TIMEOUT_MS = 1000;
/** A thread that has not begun by then will not. */
const START_MS = 10_000;

/**
 * Checks values against JSON schemas. Most schemas take time in proportion to the value and are checked on the spot. A
 * pattern may take for ever, so schemas that have one are checked in a thread that can be killed.
 */
export class SchemaCheck {
  readonly #rules = createSchemaRules();
  readonly #isBounded = new WeakMap<JsonObject, boolean>();
  readonly #waiting: Pending[] = [];
  #worker: Worker | undefined;
  #deadline: NodeJS.Timeout | undefined;

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

  /** One at a time: whoever waits behind a check that hangs is asked again of the next thread. */
  #ask(schema: JsonObject, value: Json): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ question: { schema, value }, resolve });
      if (this.#waiting.length === 1) this.#next();
    });
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    if (this.#worker === undefined) {
      // Its start is not the value's fault: time counts from when it can answer.
      this.#worker = this.#startThread();
      this.#giveUpAfter(START_MS);
      return;
    }
    this.#giveUpAfter(TIMEOUT_MS);
    this.#worker.postMessage(first.question);
  }

  #giveUpAfter(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      void this.#worker?.terminate();
      this.#worker = undefined;
      this.#answer(`value could not be checked within ${ms} ms`);
    }, ms);
  }

  #answer(violation: string | undefined): void {
    clearTimeout(this.#deadline);
    this.#waiting.shift()?.resolve(violation);
    this.#next();
  }

  #startThread(): Worker {
    const worker = new Worker(new URL("./schema-thread.ts", import.meta.url));
    worker.unref();
    worker.on("message", (message: SchemaAnswer | "ready") => {
      if (worker !== this.#worker) return;
      if (message === "ready") this.#next();
      else this.#answer(message.violation);
    });
    return worker;
  }
}

type Pending = { readonly question: SchemaQuestion; readonly resolve: (violation: string | undefined) => void };
