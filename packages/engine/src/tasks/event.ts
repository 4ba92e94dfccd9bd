import { queuedWork, waitingWork } from "../decide/deadlines.ts";
import { completed, failed } from "../decide/outcome.ts";
import { scopeOf } from "../decide/scope.ts";
import type { Head } from "../execution/head.ts";
import { taskId } from "../execution/ids.ts";
import type { Task } from "../execution/task.ts";
import { RawJson, toJson } from "../expression/raw-json.ts";
import { renderText } from "../expression/render-text.ts";
import { resolveTemplate } from "../expression/template.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { TaskType } from "../registry.ts";

/** EVENT: publishes its input to a sink. */
export const event: TaskType = {
  type: "EVENT",
  mode: "instant",
  initialStatus: "SCHEDULED",
  mapInput({ t, entry, resolved }) {
    const sink = entry.sink === undefined ? "" : toJson(resolveTemplate(entry.sink, scopeOf(t, t.head.nextNo)));
    return {
      ...resolved,
      sink: typeof sink === "string" ? sink : renderText(sink),
      asyncComplete: entry.task.asyncComplete,
    };
  },
  run(t, task, entry) {
    const stored = t.input(task.no).value;
    const { sink, produced, output } = describeEvent(t.head, task, isJsonObject(stored) ? stored : {});
    if (sink === "") return failed(`Invalid / Unsupported sink specified: ${sink}`);
    const id = taskId(t.head.id, task.no);
    const [provider = "", ...rest] = produced.split(":");
    const isOutside = t.context.settings.sinks?.has(provider) === true;
    if (rest.length === 0 || !(isInternal(provider) || isOutside)) {
      const problem = rest.length === 0 ? `Illegal event ${produced}` : `Unknown queue type ${provider}`;
      return failed(`Error loading queue:${produced}, for task:${id}, error: ${problem}`, output);
    }
    if (isOutside) {
      if (t.head.test === true) return completed(output);
      // A broker is asked outside the transition, under a lease.
      t.putWork(task.no, queuedWork(task, entry, { now: t.now, queue: "EVENT", delayMs: 0 }));
      return undefined;
    }
    // Handlers may listen to the name as it was written, or to the one with the workflow's name in it.
    const names = [produced, ...(sink.includes(":") ? [sink] : [])];
    t.publish({ names, messageId: id, payload: new RawJson(JSON.stringify(output)) });
    if (!entry.task.asyncComplete) return completed(output);
    t.putWork(task.no, waitingWork(task, entry, 0));
    return { status: "IN_PROGRESS", output };
  },
};

/** What an EVENT task publishes, and under which name. */
export function describeEvent(
  head: Head,
  task: Pick<Task, "ref">,
  input: JsonObject,
): { readonly sink: string; readonly produced: string; readonly output: JsonObject } {
  const sink = String(input["sink"] ?? "");
  const produced = eventOf(sink, head.workflowName, task.ref);
  const output = {
    ...input,
    workflowInstanceId: head.id,
    workflowType: head.workflowName,
    workflowVersion: head.workflowVersion,
    correlationId: head.correlationId ?? null,
    taskToDomain: head.taskToDomain,
    event_produced: produced,
  };
  return { sink, produced, output };
}

const isInternal = (provider: string): boolean => provider === "service" || provider === "conductor";

/** The internal sink's names carry the workflow's; a bare sink stands for the task itself. */
function eventOf(sink: string, workflowName: string, ref: string): string {
  if (isInternal(sink)) return `${sink}:${workflowName}:${ref}`;
  const [provider = "", ...rest] = sink.split(":");
  return isInternal(provider) && rest.length > 0 ? `${provider}:${workflowName}:${rest.join(":")}` : sink;
}
