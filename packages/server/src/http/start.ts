import {
  ExternalJson,
  isJsonObject,
  isWorkflowTerminal,
  type JsonObject,
  type PinnedDef,
  RawJson,
  type StartRequest,
  type WorkflowDef,
} from "@downbeat/engine";
import { type Attached, IdempotencyConflict } from "../runtime/dispatcher.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { checkWorkflowDef } from "./check-definition.ts";
import { assertValid, conflict, HttpError, invalidInput, notFound } from "./errors.ts";
import { readExternal } from "./external-payload.ts";

const TRIES = 5;

type StartOptions = {
  readonly isTest?: boolean;
  /** Laid over the input. */
  readonly more?: JsonObject;
  /** Committed with the start. */
  readonly attached?: Attached;
};

/** Starts what a request asks for and answers the execution's id. */
export const startFromRequest = async (
  runtime: Runtime,
  request: StartRequest,
  options: StartOptions = {},
): Promise<string> => (await startOrFind(runtime, request, options)).id;

/** The same, and whether it is a new one: an idempotency key may lead to one that was there. */
export async function startOrFind(
  runtime: Runtime,
  request: StartRequest,
  { isTest = false, more, attached = {} }: StartOptions,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const { workflowDef } = request;
  const registered = workflowDef === undefined ? findRequested(runtime, request) : undefined;
  assertPriority(request);
  if (workflowDef !== undefined) {
    await checkWorkflowDef(runtime, workflowDef, { prefix: "startWorkflow.arg0.workflowDef", strict: false });
  }
  const given = more === undefined ? request : await withMore(runtime, request, more);
  const def = workflowDef ?? (registered && runtime.definitions.findWorkflowDef(registered.name, registered.version));
  const input = await readInput(runtime, given, def);
  // Pinned last: what is refused must not stay in memory.
  const pinned = registered ?? runtime.definitions.pinGiven(workflowDef ?? {});
  const { idempotencyKey: key, idempotencyStrategy: strategy } = request;
  const start = async (taken: Attached = {}) => {
    const id = await runtime.startExecution(pinned, { ...request, isTest }, input, { ...attached, ...taken });
    return { id, isNew: true };
  };
  if (key === undefined || strategy === undefined) return await start();
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const existing = await runtime.store.findIdempotent(pinned.name, key);
    if (existing !== undefined) {
      if (strategy === "RETURN_EXISTING") return { id: existing, isNew: false };
      const head = strategy === "FAIL_ON_RUNNING" ? await runtime.loadHead(existing) : undefined;
      const isOver = head !== undefined && isWorkflowTerminal(head.status);
      if (strategy === "FAIL" || (head !== undefined && !isOver)) {
        throw conflict(`Workflow ${pinned.name} with idempotencyKey ${key} was started before: ${existing}`);
      }
    }
    try {
      return await start({ idempotency: { name: pinned.name, key, replaces: existing } });
    } catch (error) {
      // Another start with the same key was faster: look again at what it left.
      if (!(error instanceof IdempotencyConflict)) throw error;
    }
  }
  throw new HttpError(500, `The idempotencyKey ${key} is contended, try again`, { retryable: true });
}

function findRequested(runtime: Runtime, { name, version }: StartRequest): PinnedDef {
  if (name === undefined) {
    assertValid([{ path: "startWorkflow.arg0.name", message: "Workflow name cannot be null or empty" }]);
  }
  if (name === undefined || name === "")
    throw invalidInput("Workflow name must be specified when searching for a definition");
  const pinned = runtime.definitions.pinRegistered(name, version);
  if (pinned === undefined) throw notFound(`No such workflow defined. name=${name}, version=${version ?? "null"}`);
  return pinned;
}

function assertPriority({ priority }: StartRequest): void {
  if (priority === undefined) return;
  const path = "startWorkflow.arg0.priority";
  const invalidValue = String(priority);
  if (priority < 0) assertValid([{ path, message: `priority: ${priority} should be minimum 0`, invalidValue }]);
  if (priority > 99) assertValid([{ path, message: `priority: ${priority} should be maximum 99`, invalidValue }]);
}

/** An input that was handed over apart from the request counts when the request has none of its own. */
async function givenInput(
  runtime: Runtime,
  { externalInputPayloadStoragePath: path, input }: StartRequest,
): Promise<RawJson> {
  if (input === null) throw invalidInput("NULL input passed when starting workflow");
  if (path === undefined || path === "" || Object.keys(input ?? {}).length > 0) {
    return new RawJson(JSON.stringify(input ?? {}));
  }
  return await readExternal(runtime, path, {
    threshold: runtime.config["service.app.workflowInputPayloadSizeThreshold"],
    most: runtime.config["service.app.maxWorkflowInputPayloadSizeThreshold"],
  });
}

async function withMore(runtime: Runtime, request: StartRequest, more: JsonObject): Promise<StartRequest> {
  const { value } = await runtime.payloads.whole(await givenInput(runtime, request));
  return { ...request, input: { ...(isJsonObject(value) ? value : {}), ...more } };
}

/** The input must be there, keep to the size limit, and fit the definition's schema where that is enforced. */
async function readInput(runtime: Runtime, request: StartRequest, def: WorkflowDef | undefined): Promise<RawJson> {
  const input = await givenInput(runtime, request);
  const limit = runtime.config["service.app.maxWorkflowInputPayloadSizeThreshold"];
  const size = sizeOf(input, limit);
  if (size > limit) {
    throw invalidInput(
      `The payload size: ${size} of workflow: ${def?.name} is greater than the permissible limit: ${limit} bytes`,
    );
  }
  const schema = def?.enforceSchema === true ? def.inputSchema?.data : undefined;
  if (schema !== undefined) {
    const value = request.input ?? (await runtime.payloads.whole(input)).value;
    const violation = await runtime.schemas.check(schema, value);
    if (violation !== undefined)
      throw invalidInput(`Expected the input to fit the inputSchema of ${def?.name}: ${violation}`);
  }
  return input;
}

function sizeOf(input: RawJson, limit: number): number {
  if (input instanceof ExternalJson) return input.bytes;
  return input.text.length > limit / 3 ? Buffer.byteLength(input.text) : input.text.length;
}
