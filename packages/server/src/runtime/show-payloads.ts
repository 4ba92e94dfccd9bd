import { type Head, RawJson, type Task } from "@downbeat/engine";
import type { WholeExecution, WholeTask } from "@downbeat/store";
import type { LargePayloads } from "../payloads/large-payloads.ts";
import { isReference, parseReference, placeholderOf } from "../payloads/reference.ts";

/**
 * How a payload that lies elsewhere is shown: read in whole; as a placeholder, for an answer that copies it in while it
 * is sent; or by its path, with an empty object in its place.
 */
export type PayloadMode = "whole" | "placeholders" | "paths";

type Shown = { readonly raw: RawJson; readonly path?: string };

async function show(payloads: LargePayloads, raw: RawJson, mode: PayloadMode): Promise<Shown> {
  const reference = parseReference(raw.stored);
  if (reference === undefined) return { raw };
  switch (mode) {
    case "paths":
      return { raw: new RawJson("{}"), path: reference.path };
    case "placeholders":
      return { raw: new RawJson(placeholderOf(reference)) };
    case "whole":
      return { raw: await payloads.whole(raw) };
  }
}

type Paths = { externalInputPayloadStoragePath?: string; externalOutputPayloadStoragePath?: string };

const pathsOf = (input: Shown, output: Shown): Paths => ({
  ...(input.path === undefined ? {} : { externalInputPayloadStoragePath: input.path }),
  ...(output.path === undefined ? {} : { externalOutputPayloadStoragePath: output.path }),
});

type Payloads = { readonly input: RawJson; readonly output: RawJson };

const lieAtHand = ({ input, output }: Payloads): boolean => !isReference(input.stored) && !isReference(output.stored);

/** An execution's own payloads. */
export async function showOwn<T extends Payloads & { readonly head: Head }>(
  payloads: LargePayloads,
  whole: T,
  mode: PayloadMode,
): Promise<T> {
  if (lieAtHand(whole)) return whole;
  const input = await show(payloads, whole.input, mode);
  const output = await show(payloads, whole.output, mode);
  return { ...whole, head: { ...whole.head, ...pathsOf(input, output) }, input: input.raw, output: output.raw };
}

/** A task's. Of a fork, the input is looked into to show what it forked. */
export async function showTask<T extends Payloads & { readonly task: Task }>(
  payloads: LargePayloads,
  one: T,
  mode: PayloadMode,
): Promise<T> {
  if (lieAtHand(one)) return one;
  const isRead = mode === "placeholders" && one.task.taskType === "FORK";
  const input = await show(payloads, one.input, isRead ? "whole" : mode);
  const output = await show(payloads, one.output, mode);
  return { ...one, task: { ...one.task, ...pathsOf(input, output) }, input: input.raw, output: output.raw };
}

/** All of them. */
export async function showWhole(
  payloads: LargePayloads,
  whole: WholeExecution,
  mode: PayloadMode,
): Promise<WholeExecution> {
  if (lieAtHand(whole) && whole.tasks.every(lieAtHand)) return whole;
  const tasks: WholeTask[] = [];
  for (const one of whole.tasks) tasks.push(await showTask(payloads, one, mode));
  return { ...(await showOwn(payloads, whole, mode)), tasks };
}
