import type { TaskDef, WorkflowDef, WorkflowTask } from "../definition/types.ts";
import type { Template } from "../expression/template.ts";

/**
 * A definition, compiled once per content: where every entry stands, what follows it, who waits for it, and the parsed
 * templates of its input.
 */
export type Plan = {
  readonly def: WorkflowDef;
  readonly root: EntryList;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly output: Template | undefined;
  readonly rateLimitKey: Template | undefined;
};

export type Entry = {
  readonly ref: string;
  readonly task: WorkflowTask;
  readonly taskDef: TaskDef;
  readonly list: EntryList;
  readonly index: number;
  readonly input: Template;
  /** The same, one template per key: a loop condition resolves only those it names. */
  readonly inputMembers: ReadonlyMap<string, Template>;
  /** Values of the task definition's inputTemplate for keys that resolve to null. */
  readonly inputFallback: Template | undefined;
  /** JOIN and EXCLUSIVE_JOIN entries that name this entry. */
  readonly joinedBy: readonly Entry[];
  readonly cases: ReadonlyMap<string, EntryList>;
  readonly defaultCase: EntryList | undefined;
  readonly branches: readonly EntryList[];
  readonly body: EntryList | undefined;
  readonly items: Template | undefined;
  readonly subWorkflow: Template | undefined;
  readonly cacheKey: Template | undefined;
  readonly sink: Template | undefined;
  /** What is published when a task of this entry changes its state: by `onScheduled` and so on; undefined for nothing. */
  readonly stateEvents: ReadonlyMap<string, readonly StateEvent[]> | undefined;
};

export type StateEvent = { readonly type: string; readonly payload: Template };

export type EntryList = {
  readonly kind: "root" | "case" | "branch" | "body";
  readonly owner: Entry | undefined;
  readonly entries: readonly Entry[];
};

/** The entry that runs after this one in its own list, or after the SWITCH whose case ends with it. */
export function findNext(entry: Entry): Entry | undefined {
  let at = entry;
  for (;;) {
    const next = at.list.entries[at.index + 1];
    if (next !== undefined) return next;
    if (at.list.kind !== "case" || at.list.owner === undefined) return undefined;
    at = at.list.owner;
  }
}

/** The JOIN that belongs to a fork: the next entry of the same list. */
export const findJoinOf = (fork: Entry): Entry | undefined => {
  const next = fork.list.entries[fork.index + 1];
  return next?.task.type === "JOIN" ? next : undefined;
};
