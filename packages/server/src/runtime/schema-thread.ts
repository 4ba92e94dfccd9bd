import { parentPort } from "node:worker_threads";
import type { Json, JsonObject } from "@downbeat/engine";
import { createSchemaRules } from "./schema-rules.ts";

export type SchemaQuestion = { readonly schema: JsonObject; readonly value: Json };
export type SchemaAnswer = { readonly violation: string | undefined };

const port = parentPort;
if (port === null) throw new Error("Run as a worker thread");

const check = createSchemaRules();
port.on("message", ({ schema, value }: SchemaQuestion) => {
  port.postMessage({ violation: check(schema, value) } satisfies SchemaAnswer);
});
// Said once: questions can be answered from now on.
port.postMessage("ready");
