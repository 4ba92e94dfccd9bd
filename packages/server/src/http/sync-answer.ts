import { randomUUID } from "node:crypto";
import { readWorkflowParts } from "../runtime/read-execution.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { waitForStandstill } from "../runtime/sync-wait.ts";
import { noSuchWorkflow } from "./errors.ts";
import { integer, text } from "./parameters.ts";
import { type Reply, sendJson } from "./reply.ts";
import { maskText } from "./wire/mask.ts";
import { type ReturnStrategy, type SignalAnswer, taskRunText, workflowRunText } from "./wire/run.ts";

const DEFAULT_WAIT_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 3600;

/** What requests take that start something and wait for it. */
export const waitParameters = {
  requestId: text("Comes back in the answer"),
  waitUntilTaskRef: text("Reference names separated by commas: the wait ends when one of these tasks has ended"),
  waitForSeconds: integer(DEFAULT_WAIT_SECONDS, "At most this long; 0 means the default"),
};

type WaitQuery = {
  readonly requestId: string | undefined;
  readonly waitUntilTaskRef: string | undefined;
  readonly waitForSeconds: number;
};

export function toWait({ requestId, waitUntilTaskRef = "", waitForSeconds }: WaitQuery) {
  const seconds = waitForSeconds <= 0 ? DEFAULT_WAIT_SECONDS : waitForSeconds;
  return {
    requestId: requestId ?? randomUUID(),
    timeoutMs: Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000,
    untilRefs: waitUntilTaskRef
      .split(",")
      .map((ref) => ref.trim())
      .filter((ref) => ref !== ""),
  };
}

type SyncOptions = {
  readonly responseType: ReturnStrategy;
  readonly requestId: string;
  readonly timeoutMs: number;
  readonly untilRefs?: readonly string[];
};

/** Waits until the execution stands still, or the time is up, and answers as the return strategy says. */
export async function answerAtStandstill(
  runtime: Runtime,
  id: string,
  { responseType, requestId, timeoutMs, untilRefs = [] }: SyncOptions,
  reply: Reply,
): Promise<Reply> {
  const gone = new AbortController();
  const hangUp = () => gone.abort();
  reply.raw.once("close", hangUp);
  const { blocked, isTimeout } = await waitForStandstill(runtime, id, { timeoutMs, untilRefs, signal: gone.signal });
  reply.raw.off("close", hangUp);
  const target = await readWorkflowParts(runtime, id, { includeTasks: true });
  if (target === undefined) throw noSuchWorkflow(id);
  const answer: SignalAnswer = { responseType, target: target.head, requestId, signalTimeout: isTimeout };
  // Nothing blocks: the target is all there is to show, whatever was asked for.
  if (blocked === undefined || responseType === "TARGET_WORKFLOW")
    return sendJson(reply, workflowRunText(answer, target));
  if (responseType === "BLOCKING_WORKFLOW") {
    const blocking = await readWorkflowParts(runtime, blocked.head.id, { includeTasks: true });
    return sendJson(reply, workflowRunText(answer, blocking ?? target));
  }
  const { head, task } = blocked;
  const { maskedFields } = (await runtime.definitions.loadPlan(head.defHash)).def;
  const payload = async (slot: "input" | "output") =>
    maskText(
      (await runtime.payloads.whole(await runtime.store.executions.payload(head.id, task.no, slot))).text,
      maskedFields,
    );
  return sendJson(
    reply,
    taskRunText(answer, { head, task, input: await payload("input"), output: await payload("output") }),
  );
}
