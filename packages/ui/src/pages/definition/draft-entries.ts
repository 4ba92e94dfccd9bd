import type { TaskEntry } from "../../api/types.ts";
import type { Steps } from "../../editing/json-places.ts";

/** The tasks of a text that is being written: what is half done is made good enough to be drawn. */
export type DraftEntries = {
  readonly entries: readonly TaskEntry[];
  /** Where in the text each of them is. */
  readonly stepsOf: ReadonlyMap<TaskEntry, Steps>;
};

type Raw = Readonly<Record<string, unknown>>;

/** Reads the tasks of any value. */
export function readEntries(draft: unknown): DraftEntries {
  const stepsOf = new Map<TaskEntry, Steps>();
  const names = new Set<string>();
  const readList = (list: unknown, steps: Steps): readonly TaskEntry[] =>
    Array.isArray(list)
      ? list.flatMap((one: unknown, i) => (isObject(one) ? [readEntry(one, [...steps, String(i)])] : []))
      : [];
  const readEntry = (raw: Raw, steps: Steps): TaskEntry => {
    const name = text(raw["name"], "no name");
    const forks = Array.isArray(raw["forkTasks"]) ? raw["forkTasks"] : [];
    const cases = isObject(raw["decisionCases"]) ? Object.entries(raw["decisionCases"]) : [];
    const entry: TaskEntry = {
      ...raw,
      name,
      taskReferenceName: unique(text(raw["taskReferenceName"], name), names),
      type: text(raw["type"], "SIMPLE"),
      inputParameters: (isObject(raw["inputParameters"]) ? raw["inputParameters"] : {}) as never,
      decisionCases: Object.fromEntries(
        cases.map(([key, list]) => [key, readList(list, [...steps, "decisionCases", key])]),
      ),
      defaultCase: readList(raw["defaultCase"], [...steps, "defaultCase"]),
      forkTasks: forks.map((list: unknown, i) => readList(list, [...steps, "forkTasks", String(i)])),
      loopOver: readList(raw["loopOver"], [...steps, "loopOver"]),
      joinOn: Array.isArray(raw["joinOn"]) ? raw["joinOn"].filter((one) => typeof one === "string") : [],
      ...(isObject(raw["subWorkflowParam"]) ? {} : { subWorkflowParam: {} }),
    };
    stepsOf.set(entry, steps);
    return entry;
  };
  return { entries: isObject(draft) ? readList(draft["tasks"], ["tasks"]) : [], stepsOf };
}

const isObject = (value: unknown): value is Raw => typeof value === "object" && value !== null && !Array.isArray(value);

const text = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise;

/** A name that two tasks have is drawn twice: the editor says that it must not be. */
function unique(name: string, names: Set<string>): string {
  let free = name;
  for (let i = 2; names.has(free); i += 1) free = `${name} (${i})`;
  names.add(free);
  return free;
}

/** What is at the end of the steps. */
export function valueAt(value: unknown, steps: Steps): unknown {
  let at = value;
  for (const step of steps) {
    if (Array.isArray(at)) at = at[Number(step)];
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

/** The same with another value there; undefined takes the key away. Objects on the way are made. */
export function withValueAt(value: unknown, steps: Steps, given: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return given;
  if (Array.isArray(value)) return value.map((one, i) => (i === Number(step) ? withValueAt(one, rest, given) : one));
  const object = isObject(value) ? value : {};
  const next = withValueAt(object[step], rest, given);
  if (next === undefined) return Object.fromEntries(Object.entries(object).filter(([key]) => key !== step));
  return { ...object, [step]: next };
}
