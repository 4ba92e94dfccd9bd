import type { JsonObject } from "../json.ts";
import {
  DefinitionFormatError,
  type Fields,
  freeMap,
  type Model,
  mapOf,
  model,
  optional,
  optionalInteger,
  optionalOneOf,
  optionalText,
  reader,
  text,
} from "./fields.ts";
import { normalizeWorkflowDef, workflowDefModel } from "./normalize.ts";
import type { IdempotencyStrategy, WorkflowDef } from "./types.ts";

/** What a caller, a START_WORKFLOW task or a schedule asks for when it starts an execution. */
export type StartRequest = {
  readonly name?: string;
  readonly version?: number;
  readonly correlationId?: string;
  /** Null when the caller wrote null: most starts refuse that. */
  readonly input?: JsonObject | null;
  readonly taskToDomain?: { readonly [taskType: string]: string };
  readonly workflowDef?: WorkflowDef;
  readonly externalInputPayloadStoragePath?: string;
  readonly priority?: number;
  readonly createdBy?: string;
  readonly idempotencyKey?: string;
  readonly idempotencyStrategy?: IdempotencyStrategy;
};

export const startRequestFields: Fields<StartRequest> = {
  name: optionalText,
  version: optionalInteger,
  correlationId: optionalText,
  input: reader(freeMap.schema, (value, path) =>
    value === null ? null : value === undefined ? undefined : freeMap(value, path),
  ),
  taskToDomain: optional(mapOf(text)),
  workflowDef: optional(reader(workflowDefModel, normalizeWorkflowDef)),
  externalInputPayloadStoragePath: optionalText,
  priority: optionalInteger,
  createdBy: optionalText,
  idempotencyKey: optionalText,
  idempotencyStrategy: optionalOneOf("FAIL", "RETURN_EXISTING", "FAIL_ON_RUNNING"),
} as Fields<StartRequest>; // absent optional properties are left out by readFields

export const startRequestModel: Model<StartRequest> = model("StartWorkflowRequest", () => startRequestFields);

/** Throws DefinitionFormatError. */
export const normalizeStartRequest = (json: unknown): StartRequest => startRequestModel(json, "");

/** The same for data inside a workflow, where a mistake is a failed task. */
export function parseStartRequest(json: unknown): StartRequest | { readonly error: string } {
  try {
    return normalizeStartRequest(json);
  } catch (error) {
    if (error instanceof DefinitionFormatError) return { error: error.message };
    throw error;
  }
}
