import { referenceTaskName, type Task } from "../execution/task.ts";
import { RawJson } from "../expression/raw-json.ts";
import { bareReference } from "../expression/reference-name.ts";
import type { Lazy } from "../expression/scope.ts";
import type { Transition } from "./transition.ts";

type OutputOf = (t: Transition, task: Task) => RawJson | Lazy;

/**
 * A JOIN's output is never stored: it is what the joined tasks put out. A path into it reads one task; the whole is
 * put together from stored text without parsing it.
 */
export function joinOutput(t: Transition, join: Task, outputOf: OutputOf): Lazy {
  return {
    lazy: true,
    get(key) {
      const task = findJoined(t, join, bareReference(key)) ?? findJoined(t, join, key);
      if (task === undefined) return undefined;
      const output = outputOf(t, task);
      return isEmpty(output) ? undefined : output;
    },
    whole: () => new RawJson(joinedText(t, join, outputOf)),
  };
}

/** True for the JOIN of a dynamic fork: its joined tasks know it by number, the definition does not know them. */
export function isDynamicJoin(t: Transition, join: Task): boolean {
  const { list, index } = t.entryOf(join);
  return list.entries[index - 1]?.task.type === "FORK_JOIN_DYNAMIC";
}

/** Bare reference names a static JOIN waits for. */
const joinOnOf = (t: Transition, join: Task): readonly string[] => t.entryOf(join).task.joinOn;

function findJoined(t: Transition, join: Task, ref: string): Task | undefined {
  const task = t.findInIteration(ref, join.iter);
  if (task === undefined) return undefined;
  if (isDynamicJoin(t, join)) return task.join === join.no ? task : undefined;
  return joinOnOf(t, join).includes(ref) ? task : undefined;
}

function joinedText(t: Transition, join: Task, outputOf: OutputOf): string {
  const members: string[] = [];
  const add = (ref: string, output: RawJson | Lazy) => {
    if (!isEmpty(output))
      members.push(`${JSON.stringify(referenceTaskName({ ref, iter: join.iter }))}:${textOf(output)}`);
  };
  if (isDynamicJoin(t, join)) {
    for (const [ref, output] of t.joinedOutputs(join.no)) add(ref, output);
  } else {
    for (const ref of joinOnOf(t, join)) {
      const task = t.findInIteration(ref, join.iter);
      if (task !== undefined) add(ref, outputOf(t, task));
    }
  }
  return `{${members.join(",")}}`;
}

const isEmpty = (output: RawJson | Lazy): boolean => output instanceof RawJson && output.stored === "{}";

export function textOf(output: RawJson | Lazy): string {
  const whole = output instanceof RawJson ? output : output.whole();
  return whole instanceof RawJson ? whole.text : JSON.stringify(whole);
}
