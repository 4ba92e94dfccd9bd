import { taskId } from "../execution/ids.ts";
import type { Task } from "../execution/task.ts";
import { RawJson, stringifyResolved } from "../expression/raw-json.ts";
import { resolveTemplate } from "../expression/template.ts";
import type { Entry } from "../plan/plan.ts";
import { scopeOf } from "./scope.ts";
import type { Transition } from "./transition.ts";

export type StateTransition = "onScheduled" | "onStart" | "onSuccess" | "onFailed" | "onCancelled";

/** onStateChange: publishes what the entry asks for when its task changes its state. */
export function publishStateChange(t: Transition, task: Task, entry: Entry, transition: StateTransition): void {
  const events = entry.stateEvents?.get(transition);
  if (events === undefined) return;
  events.forEach(({ type, payload }, index) => {
    const resolved = resolveTemplate(payload, scopeOf(t, t.head.nextNo));
    t.publish({
      names: [type.includes(":") ? type : `service:${type}`],
      messageId: `${taskId(t.head.id, task.no)}_${transition}_${index}`,
      payload: new RawJson(stringifyResolved(resolved)),
    });
  });
}
