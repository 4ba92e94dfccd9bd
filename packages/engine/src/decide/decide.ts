import { isTerminal, isWorkflowTerminal } from "../execution/status.ts";
import type { Changes } from "./changes.ts";
import { type Context, Missing, type View } from "./context.ts";
import { orFail } from "./end.ts";
import type { Event, Refusal } from "./event.ts";
import { growForks } from "./grow-fork.ts";
import { jump } from "./jump.ts";
import { beginLimited } from "./limited.ts";
import { messageCame } from "./messages.ts";
import { catchUp, pause, resume } from "./pause.ts";
import { rerun } from "./rerun.ts";
import { resetCallbacks } from "./reset-callbacks.ts";
import { restart } from "./restart.ts";
import { retry } from "./retry.ts";
import { childRevived } from "./revive.ts";
import { setVariables } from "./set-variables.ts";
import { settle } from "./settle.ts";
import { skip } from "./skip.ts";
import { admit, start } from "./start.ts";
import { publishStateChange } from "./state-events.ts";
import { childEnded, extendLease, taskResult } from "./task-result.ts";
import { continueTermination, terminate } from "./terminate.ts";
import { pretendTimes, timerFired } from "./timers.ts";
import { Transition } from "./transition.ts";
import { upgrade } from "./upgrade.ts";

export type Decision =
  | {
      readonly kind: "decided";
      /** Undefined when the events changed nothing. */
      readonly changes: Changes | undefined;
      /** One per event: why it was not applied, or undefined. */
      readonly refusals: readonly (Refusal | undefined)[];
    }
  /** Something was not at hand; the view and the context know what. Fetch it and decide again. */
  | { readonly kind: "missing" };

/**
 * Applies events to an execution, in order, as one transition. Pure: the same view, context and events give the same
 * decision, and nothing has happened until the changes are committed.
 */
export function decide(view: View, context: Context, events: readonly Event[]): Decision {
  const t = new Transition(view, context);
  try {
    const refusals = events.map((event) => {
      const refusal = orFail(t, () => apply(t, event));
      if (t.exists) settle(t);
      return refusal;
    });
    return { kind: "decided", changes: t.changes(), refusals };
  } catch (error) {
    if (error instanceof Missing) return { kind: "missing" };
    throw error;
  }
}

function goOn(t: Transition): void {
  if (isWorkflowTerminal(t.head.status)) continueTermination(t);
  else if (t.head.status === "RUNNING") growForks(t);
}

function claimed(t: Transition, no: number): void {
  const task = t.findTask(no);
  if (task !== undefined && !isTerminal(task.status)) publishStateChange(t, task, t.entryOf(task), "onStart");
}

function apply(t: Transition, event: Event): Refusal | undefined {
  if (event.kind === "start") {
    // A start that is delivered twice finds the execution there.
    if (!t.exists) start(t, event);
    return undefined;
  }
  if (!t.exists) return { code: "no-execution", message: "No such workflow found" };
  switch (event.kind) {
    case "task-result":
      if (event.pretends !== undefined && pretendTimes(t, event.no, event.pretends)) return undefined;
      return taskResult(t, event);
    case "extend-lease":
      return extendLease(t, event.no);
    case "timer":
      timerFired(t, event.no);
      return undefined;
    case "begin":
      beginLimited(t, event.no);
      return undefined;
    case "child-ended":
      childEnded(t, event);
      return undefined;
    case "child-revived":
      childRevived(t, event);
      return undefined;
    case "pause":
      return pause(t);
    case "resume":
      return resume(t);
    case "continue":
      goOn(t);
      return undefined;
    case "decide":
      goOn(t);
      if (t.head.status === "RUNNING") catchUp(t);
      return undefined;
    case "admit":
      admit(t);
      return undefined;
    case "terminate":
      return terminate(t, event);
    case "restart":
      return restart(t, event);
    case "retry":
      return retry(t, event);
    case "rerun":
      return rerun(t, event);
    case "skip":
      return skip(t, event);
    case "reset-callbacks":
      return resetCallbacks(t);
    case "claimed":
      claimed(t, event.no);
      return undefined;
    case "publish":
      return { code: "invalid", message: "A message is for handlers, not for an execution" };
    case "jump":
      return jump(t, event);
    case "upgrade":
      return upgrade(t, event);
    case "set-variables":
      return setVariables(t, event);
    case "message":
      return messageCame(t, event);
  }
}
