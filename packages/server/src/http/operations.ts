import { type Event, isExecutionId, isWorkflowTerminal } from "@downbeat/engine";
import type { Attached } from "../runtime/dispatcher.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { assertAccepted, conflict, noSuchWorkflow, notFound } from "./errors.ts";

/** What can be done to an execution from outside: one by one, in bulk, or by a background job. */
export type Operation = (runtime: Runtime, id: string, attached?: Attached) => Promise<void>;

/** An unknown execution is a 404, a refusal its own status. */
export async function apply(runtime: Runtime, id: string, event: Event, attached: Attached = {}): Promise<void> {
  if (!isExecutionId(id) || (await runtime.loadHead(id)) === undefined) throw noSuchWorkflow(id);
  assertAccepted(await runtime.dispatch(id, event, attached));
}

const byEvent =
  (event: Event): Operation =>
  (runtime, id, attached) =>
    apply(runtime, id, event, attached);

export const pause: Operation = byEvent({ kind: "pause" });
export const resume: Operation = byEvent({ kind: "resume" });
export const decide: Operation = byEvent({ kind: "decide" });
export const resetCallbacks: Operation = byEvent({ kind: "reset-callbacks" });

export const retry = (resumeSubworkflowTasks: boolean): Operation => byEvent({ kind: "retry", resumeSubworkflowTasks });

export const restart =
  (useLatestDefinitions: boolean): Operation =>
  async (runtime, id, attached) =>
    await apply(runtime, id, useLatestDefinitions ? await withLatest(runtime, id) : { kind: "restart" }, attached);

async function withLatest(runtime: Runtime, id: string): Promise<Event> {
  const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
  if (head === undefined) throw noSuchWorkflow(id);
  const latest = runtime.definitions.pinRegistered(head.workflowName);
  if (latest === undefined) throw notFound(`Unable to find latest definition for ${id}`);
  return { kind: "restart", defHash: latest.hash, workflowVersion: latest.version };
}

export const terminate = (reason: string | undefined, triggerFailureWorkflow = false): Operation =>
  byEvent({ kind: "terminate", triggerFailureWorkflow, ...(reason === undefined ? {} : { reason }) });

/** Any state: what is running is terminated first. */
export const remove =
  (keepsSearchRow: boolean, reason?: string): Operation =>
  async (runtime, id, attached) => {
    const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
    if (head === undefined) throw noSuchWorkflow(id);
    if (!isWorkflowTerminal(head.status)) await terminate(reason)(runtime, id);
    const kind = await runtime.removals.remove(id, keepsSearchRow, attached?.documents);
    if (kind !== "done") throw noSuchWorkflow(id);
  };

/** As terminate, then as remove: a completed execution cannot be terminated, so it stays. */
export const terminateRemove =
  (keepsSearchRow: boolean, reason: string | undefined): Operation =>
  async (runtime, id, attached) => {
    const head = isExecutionId(id) ? await runtime.loadHead(id) : undefined;
    if (head?.status === "COMPLETED") throw conflict("Cannot terminate a COMPLETED workflow.");
    await remove(keepsSearchRow, reason)(runtime, id, attached);
  };
