import type { Json } from "./client.ts";

/** A workflow definition with what every one needs. */
export const aWorkflow = (name: string, tasks: readonly Json[], more: Json = {}): Json => ({
  name,
  version: 1,
  schemaVersion: 2,
  tasks,
  ...more,
});

/** A worker's task; its type is its name. */
export const simple = (name: string, ref = name, more: Json = {}): Json => ({
  name,
  taskReferenceName: ref,
  type: "SIMPLE",
  ...more,
});

export const entry = (type: string, ref: string, more: Json = {}): Json => ({
  name: ref,
  taskReferenceName: ref,
  type,
  ...more,
});

/** A task definition that fails for good at the first failure, unless told otherwise. */
export const aTask = (name: string, more: Json = {}): Json => ({ name, retryCount: 0, ...more });

let last = 0;

/** A name no other test of the file uses. */
export const aName = (stem: string): string => `${stem}_${++last}`;
