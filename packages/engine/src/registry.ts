import type { Outcome } from "./decide/outcome.ts";
import type { Place } from "./decide/schedule.ts";
import type { Transition } from "./decide/transition.ts";
import type { TaskDef } from "./definition/types.ts";
import type { Task } from "./execution/task.ts";
import type { Resolved } from "./expression/raw-json.ts";
import type { Entry } from "./plan/plan.ts";

/**
 * What the engine knows of a task type. One object per type, one file per object; adding a type touches its file and
 * the list that is handed to `taskTypes`.
 */
export type TaskType = {
  readonly type: string;
  /**
   * instant: runs inside the transition. waits: stays open until something happens to it. worker: polled by workers.
   * outside: polled and run by the server itself, under a lease.
   */
  readonly mode: "instant" | "waits" | "worker" | "outside";
  readonly initialStatus: "SCHEDULED" | "IN_PROGRESS";
  /** taskDefName on the wire, where it is not the entry's name. */
  readonly defName?: string;
  /** taskType on the wire, where it is not the type itself. */
  readonly wireType?: string;
  /** Control types: a failed one is never tried again by itself. */
  readonly isControl?: boolean;
  /** The task definition as far as retries go, for types that are tried again more readily than others. */
  readonly taskDef?: (def: TaskDef) => TaskDef;
  /** How much of a transition's budget one run takes; 1 when absent. For types whose own work may be long. */
  readonly cost?: (t: Transition, task: Task) => number;
  /** The stored input, from the resolved inputParameters. */
  readonly mapInput?: (call: InputCall) => Resolved;
  /** The key of the mapped input that holds the resolved inputParameters, where they are not the input itself. */
  readonly parametersUnder?: string;
  /** Takes over scheduling altogether: containers that create more than one task. */
  readonly schedule?: (t: Transition, entry: Entry, place: Place) => void;
  /** The work of an instant type, or the first step of one that waits. Undefined: stay open. */
  readonly run?: (t: Transition, task: Task, entry: Entry) => Outcome | undefined;
  /** A deadline of a waiting task was reached. */
  readonly onTimer?: (t: Transition, task: Task, entry: Entry) => Outcome | undefined;
};

export type InputCall = {
  readonly t: Transition;
  readonly entry: Entry;
  readonly place: Place;
  readonly resolved: { readonly [key: string]: Resolved };
};

export type TaskTypes = { find(type: string): TaskType | undefined };

export function taskTypes(types: readonly TaskType[]): TaskTypes {
  const byName = new Map(types.map((type) => [type.type, type]));
  return { find: (type) => byName.get(type) };
}
