import type { Head } from "@downbeat/engine";
import type { PayloadSlot } from "../port.ts";
import { executionText } from "../sqlite/search-text.ts";
import { signaturesOf } from "../sqlite/signature.ts";
import { safeText } from "./text.ts";

/** What search knows of an execution, written with the commit that changes it. */
export const shownRow = (head: Head) => ({
  id: safeText(head.id),
  version: head.workflowVersion,
  startTime: head.createTime,
  endTime: head.endTime,
  priority: head.priority,
  name: safeText(head.workflowName),
  status: head.status,
  defHash: safeText(head.defHash),
  correlationId: safeText(head.correlationId ?? ""),
  parentId: safeText(head.parentWorkflowId ?? ""),
  createdBy: safeText(head.createdBy ?? ""),
  event: safeText(head.event ?? ""),
  reason: safeText(head.reasonForIncompletion ?? ""),
  idempotencyKey: safeText(head.idempotencyKey ?? ""),
  failed: safeText(head.failedReferenceTaskNames.join(",")),
});

/**
 * Most steps leave everything in `shownRow` as it was. Their rows are not even sent: such a head looks as it did since
 * the start, and the hash in the execution's row tells when that is not so (then the group is sent again with all rows).
 */
export const isPlainRunning = (head: Head): boolean =>
  head.status === "RUNNING" &&
  head.epoch === 0 &&
  head.endTime === 0 &&
  head.reasonForIncompletion === undefined &&
  head.failedReferenceTaskNames.length === 0;

/** A hash of everything in `shownRow`, of 53 bits. */
export function shownHash(head: Head): number {
  const { createTime, endTime, priority, reasonForIncompletion: reason, failedReferenceTaskNames: failed } = head;
  const numbers = `${head.status} ${head.workflowVersion} ${createTime} ${endTime} ${priority} ${head.defHash}`;
  const texts = `${head.workflowName}\n${head.correlationId}\n${head.parentWorkflowId}\n${head.createdBy}\n${head.event}`;
  const text = `${numbers}\n${texts}\n${reason}\n${head.idempotencyKey}\n${failed.join(",")}`;
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}

/**
 * Where the signatures of a text lie: of the first, of one with an output, of one without. They are added to what is
 * there, never put in its place, so a short later text shares the first part: half as many rows to look through.
 */
const ranges = { first: [0, 24], output: [24, 24], fields: [48, 16] } as const;
const SHORT = 200;

/**
 * Signatures of what free text finds, see sqlite/signature.ts. The status is not among it: words that may mean one are
 * looked for by it too. Payloads are, also where the definition hides fields: who searches reads them to be sure, and
 * there they are left out.
 */
export function textRows(head: Head, own: Readonly<Record<PayloadSlot, string | undefined>>, isNew: boolean) {
  const { input = "", output = "" } = own;
  const text = executionText({ ...head, status: "" } as unknown as Head, { input, output });
  if (isNew || own.input !== undefined) return partRows(text, ranges.first);
  const added = output.length + (head.reasonForIncompletion ?? "").length + head.failedReferenceTaskNames.join().length;
  if (added <= SHORT) return partRows(text, [0, 1]);
  return partRows(text, own.output === undefined ? ranges.fields : ranges.output);
}

/** What the last part cannot hold makes it fuller, never wrong. */
function partRows(text: string, [first, most]: readonly [first: number, most: number]) {
  const parts = signaturesOf(text);
  for (const extra of parts.splice(most)) {
    const last = parts[most - 1] ?? [];
    for (const [column, bits] of extra.entries()) last[column] = orOf(last[column] ?? 0, bits);
  }
  return parts.map(([s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0, s8 = 0, s9 = 0], index) => {
    return { part: first + index, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 };
  });
}

/** Numbers of 52 bits: JavaScript's own operator knows only 32. */
const orOf = (one: number, other: number): number => Number(BigInt(one) | BigInt(other));
