import type { TaskEntry, TaskState } from "../api/types.ts";

/** Where the tasks of an execution belong in its definition. */
export type Progress = {
  /** The latest attempt of an entry, in an iteration ("" outside loops). */
  readonly find: (ref: string, iteration: string) => TaskState | undefined;
  /** How often a loop's body has begun, in an iteration of what is around it. */
  readonly iterations: (loopRef: string, around: string) => number;
  /** The tasks a dynamic fork made, in an iteration: no entry of the definition names them. */
  readonly made: (forkRef: string, iteration: string) => readonly TaskState[];
};

/** Sorts tasks to the entries of a definition. */
export function toProgress(entries: readonly TaskEntry[], tasks: readonly TaskState[]): Progress {
  const refs = new Map<string, TaskEntry>();
  forEachEntry(entries, (entry) => refs.set(entry.taskReferenceName, entry));
  const latest = new Map<string, TaskState>();
  const made = new Map<string, Map<string, TaskState>>();
  const makers = new Map<string, string>();
  const deepest = new Map<string, number>();
  // Tasks come in order: a later attempt takes the place of the earlier, and what no entry names belongs to the dynamic
  // fork before it.
  for (const task of tasks) {
    const { ref, iteration } = splitName(task, refs);
    const entry = refs.get(ref);
    noteIteration(deepest, ref, iteration);
    if (entry !== undefined) {
      latest.set(`${ref}\n${iteration}`, task);
      if (entry.type === "FORK_JOIN_DYNAMIC") makers.set(iteration, `${ref}\n${iteration}`);
      continue;
    }
    const maker = makers.get(`${ref}\n${iteration}`) ?? makers.get(iteration) ?? "";
    makers.set(`${ref}\n${iteration}`, maker);
    const group = made.get(maker) ?? new Map<string, TaskState>();
    made.set(maker, group.set(ref, task));
  }
  const bodies = new Map<string, readonly string[]>();
  forEachEntry(entries, (entry) => {
    if (entry.loopOver)
      bodies.set(
        entry.taskReferenceName,
        entry.loopOver.map((one) => one.taskReferenceName),
      );
  });
  return {
    find: (ref, iteration) => latest.get(`${ref}\n${iteration}`),
    iterations: (loopRef, around) =>
      Math.max(0, ...(bodies.get(loopRef) ?? []).map((ref) => deepest.get(`${ref}\n${around}`) ?? 0)),
    made: (forkRef, iteration) => [...(made.get(`${forkRef}\n${iteration}`)?.values() ?? [])],
  };
}

/** Iterations are written behind the name: `pay__3`, in a loop within a loop `pay__3__1`. */
function splitName(task: TaskState, refs: ReadonlyMap<string, unknown>): { ref: string; iteration: string } {
  const name = task.referenceTaskName;
  if (task.iteration === 0 || refs.has(name)) return { ref: name, iteration: "" };
  const whole = /^(.+?)((?:__\d+)+)$/.exec(name);
  if (whole === null) return { ref: name, iteration: "" };
  return { ref: whole[1] ?? name, iteration: whole[2]?.slice(2) ?? "" };
}

/** The iteration inside another: "3" in "1" is "1__3". */
export const within = (around: string, iteration: number): string =>
  around === "" ? String(iteration) : `${around}__${iteration}`;

function noteIteration(deepest: Map<string, number>, ref: string, iteration: string): void {
  if (iteration === "") return;
  const cut = iteration.lastIndexOf("__");
  const around = cut === -1 ? "" : iteration.slice(0, cut);
  const number = Number(iteration.slice(cut === -1 ? 0 : cut + 2));
  const key = `${ref}\n${around}`;
  deepest.set(key, Math.max(deepest.get(key) ?? 0, number));
}

/** Every entry of a definition, containers before what they hold. */
export function forEachEntry(entries: readonly TaskEntry[], visit: (entry: TaskEntry) => void): void {
  for (const entry of entries) {
    visit(entry);
    for (const list of listsIn(entry)) forEachEntry(list, visit);
  }
}

function listsIn(entry: TaskEntry): readonly (readonly TaskEntry[])[] {
  return [
    ...Object.values(entry.decisionCases ?? {}),
    entry.defaultCase ?? [],
    ...(entry.forkTasks ?? []),
    entry.loopOver ?? [],
  ];
}

export function findEntry(entries: readonly TaskEntry[], ref: string): TaskEntry | undefined {
  let found: TaskEntry | undefined;
  forEachEntry(entries, (entry) => {
    if (entry.taskReferenceName === ref) found = entry;
  });
  return found;
}
