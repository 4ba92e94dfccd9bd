import { isTerminal, isWorkflowTerminal } from "../execution/status.ts";
import { withTimer } from "./deadlines.ts";
import { LIMITED_QUEUE } from "./domains.ts";
import type { Transition } from "./transition.ts";

/** A slot was found for a task of the limited queue. Its slot is given back when its work row goes. */
export function beginLimited(t: Transition, no: number): void {
  const task = t.findTask(no);
  const work = t.findWork(no);
  if (task === undefined || work?.queue !== LIMITED_QUEUE || work.state !== "claimed") return;
  if (isTerminal(task.status) || isWorkflowTerminal(t.head.status)) return;
  // While paused it waits as one that fell due: resume wakes it.
  if (t.head.status === "PAUSED") t.putWork(no, withTimer({ ...work, state: "waiting", queue: "", dueAt: t.now }));
  else t.agenda.push({ kind: "run", no });
}
