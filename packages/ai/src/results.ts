import { type JsonObject, RawJson, type TaskResult } from "@downbeat/engine";

/** Members without a value are left out. */
export type Output = { readonly [key: string]: unknown };

export const completed = (output: Output): TaskResult => ({
  status: "COMPLETED",
  outputMode: "replace",
  output: new RawJson(JSON.stringify(withoutNulls(output))),
});

/** Asked again after so many seconds; the output tells the next run where it stands. */
export const inProgress = (output: Output, callbackAfterSeconds: number): TaskResult => ({
  status: "IN_PROGRESS",
  outputMode: "replace",
  output: new RawJson(JSON.stringify(withoutNulls(output))),
  callbackAfterSeconds,
});

function withoutNulls(output: Output): JsonObject {
  const members = Object.entries(output).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(members) as JsonObject;
}

/** Tried again where the definition allows it. */
export const failed = (reason: string, output: Output): TaskResult => ({
  status: "FAILED",
  outputMode: "replace",
  output: new RawJson(JSON.stringify(withoutNulls(output))),
  reasonForIncompletion: reason,
});
