import { waitingWork } from "../decide/deadlines.ts";
import { completed, failed } from "../decide/outcome.ts";
import { scopeOf } from "../decide/scope.ts";
import { taskId } from "../execution/ids.ts";
import { RawJson, toJson } from "../expression/raw-json.ts";
import { renderText } from "../expression/render-text.ts";
import { resolveTemplate } from "../expression/template.ts";
import { isJsonObject } from "../json.ts";
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
    const { head } = t;
    const stored = t.input(task.no).value;
    const input = isJsonObject(stored) ? stored : {};
    const sink = String(input["sink"] ?? "");
    if (sink === "") return failed(`Invalid / Unsupported sink specified: ${sink}`);
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
    const id = taskId(head.id, task.no);
    const [provider = "", ...rest] = produced.split(":");
    const problem =
      rest.length === 0
        ? `Illegal event ${produced}`
        : isInternal(provider)
          ? undefined
          : `Unknown queue type ${provider}`;
    if (problem !== undefined)
      return failed(`Error loading queue:${produced}, for task:${id}, error: ${problem}`, output);
    // Handlers may listen to the name as it was written, or to the one with the workflow's name in it.
    const names = [produced, ...(sink.includes(":") ? [sink] : [])];
    t.publish({ names, messageId: id, payload: new RawJson(JSON.stringify(output)) });
    if (!entry.task.asyncComplete) return completed(output);
    t.putWork(task.no, waitingWork(task, entry, 0));
    return { status: "IN_PROGRESS", output };
  },
};

const isInternal = (provider: string): boolean => provider === "service" || provider === "conductor";

/** The internal sink's names carry the workflow's; a bare sink stands for the task itself. */
function eventOf(sink: string, workflowName: string, ref: string): string {
  if (isInternal(sink)) return `${sink}:${workflowName}:${ref}`;
  const [provider = "", ...rest] = sink.split(":");
  return isInternal(provider) && rest.length > 0 ? `${provider}:${workflowName}:${rest.join(":")}` : sink;
}
