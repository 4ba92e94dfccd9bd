import type { TaskDef, TaskType } from "@downbeat/engine";
import type { AiTask } from "./ai-task.ts";

/** Each name of a task, as the engine knows it: work the server does itself, outside the transition. */
export const taskTypesOf = (task: AiTask): readonly TaskType[] =>
  namesOf(task).map((type) => ({
    type,
    mode: "outside",
    initialStatus: "SCHEDULED",
    ...(task.retriesByDefault === false ? {} : { taskDef: withRetries }),
  }));

export const namesOf = ({ type, aliases = [] }: AiTask): readonly string[] => [type, ...aliases];

/** Providers fail for a moment now and then: a definition that asks for no retries gets these. */
const withRetries = (def: TaskDef): TaskDef =>
  def.retryCount >= 1 ? def : { ...def, retryCount: 3, retryDelaySeconds: 2, retryLogic: "LINEAR_BACKOFF" };
