import type { Task } from "../execution/task.ts";
import { toJson } from "../expression/raw-json.ts";
import { resolveTemplate } from "../expression/template.ts";
import type { Entry } from "../plan/plan.ts";
import type { TaskType } from "../registry.ts";
import { scopeOf } from "./scope.ts";
import type { Transition } from "./transition.ts";

/** cacheConfig: a task whose key was seen within its time to live takes the stored output and never runs. */
export function useCached(t: Transition, task: Task, entry: Entry, type: TaskType): boolean {
  if (type.isControl === true) return false;
  const key = cacheKey(t, task, entry);
  const cached = key === undefined ? undefined : t.context.findCached(key);
  if (cached === undefined) return false;
  t.setOutput(task.no, cached);
  t.patchTask(task.no, { status: "COMPLETED", startTime: t.now, endTime: t.now, updateTime: t.now });
  t.agenda.push({ kind: "follow-up", no: task.no });
  return true;
}

export function cacheOutput(t: Transition, task: Task, entry: Entry): void {
  const ttlMs = (entry.task.cacheConfig?.ttlInSecond ?? 0) * 1000;
  const key = ttlMs > 0 ? cacheKey(t, task, entry) : undefined;
  if (key !== undefined) t.putCache(key, t.output(task.no).text, t.now + ttlMs);
}

/** The key is resolved in the scope of the execution, or from the task's own input for a bare `${name}`. */
function cacheKey(t: Transition, task: Task, entry: Entry): string | undefined {
  if (entry.cacheKey === undefined || (entry.task.cacheConfig?.ttlInSecond ?? 0) <= 0) return undefined;
  const outer = scopeOf(t, task.no);
  const input = t.input(task.no).value as Record<string, never>;
  const scope = { ...outer, root: (name: string) => (Object.hasOwn(input, name) ? input[name] : outer.root(name)) };
  const resolved = toJson(resolveTemplate(entry.cacheKey, scope));
  return `${task.taskDefName}\n${typeof resolved === "string" ? resolved : JSON.stringify(resolved)}`;
}
