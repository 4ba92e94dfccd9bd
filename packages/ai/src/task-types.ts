import type { TaskDef, TaskType } from "@downbeat/engine";
import type { AiTask } from "./ai-task.ts";
import { aiTasks } from "./tasks/index.ts";

/** Each type and its older names, as the engine knows them: work the server does itself, outside the transition. */
export const aiTaskTypes: readonly TaskType[] = aiTasks.flatMap((task) =>
  namesOf(task).map(
    (type): TaskType => ({
      type,
      mode: "outside",
      initialStatus: "SCHEDULED",
      ...(task.retriesByDefault === false ? {} : { taskDef: withRetries }),
    }),
  ),
);

export const namesOf = ({ type, aliases = [] }: AiTask): readonly string[] => [type, ...aliases];

/** Providers fail for a moment now and then: a definition that asks for no retries gets these. */
const withRetries = (def: TaskDef): TaskDef =>
  def.retryCount >= 1 ? def : { ...def, retryCount: 3, retryDelaySeconds: 2, retryLogic: "LINEAR_BACKOFF" };
