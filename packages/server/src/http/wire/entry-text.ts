import type { TaskDef, WorkflowTask } from "@downbeat/engine";
import { once } from "./once.ts";
import type { Pieces } from "./pieces.ts";

export const defText = once((def: TaskDef): string => JSON.stringify(def));

/** An entry as JSON. */
export function entryText({ taskDefinition, ...entry }: WorkflowTask): string {
  const text = JSON.stringify(entry);
  return taskDefinition === undefined ? text : `${text.slice(0, -1)},"taskDefinition":${defText(taskDefinition)}}`;
}

type Different = Pick<WorkflowTask, "taskReferenceName" | "inputParameters">;

/**
 * An entry like its model but for its reference name and its input parameters, as the branches of a fork are: the rest,
 * of which a definition is the larger part, is written once for all of them.
 */
export function alikeEntryPieces(model: WorkflowTask, different: Different): Pieces {
  const shared = sharedBy(model);
  if (shared === undefined) return [entryText({ ...model, ...different })];
  const { taskReferenceName, inputParameters } = different;
  const own = `${shared[0]}${JSON.stringify(taskReferenceName)}${shared[1]}${JSON.stringify(inputParameters)}`;
  return [own, shared[2]];
}

type Shared = readonly [string, string, string];

/** What stands around the two values. Undefined when the model itself has texts that look like the marks. */
const sharedBy = once((model: WorkflowTask): Shared | undefined =>
  cut(entryText({ ...model, taskReferenceName: NAME, inputParameters: { [PARAMETERS]: 0 } })),
);

const NAME = "(reference name)";
const PARAMETERS = "(input parameters)";

function cut(text: string): Shared | undefined {
  const [before, afterName, ...moreNames] = text.split(JSON.stringify(NAME));
  const [between, after, ...more] = afterName?.split(JSON.stringify({ [PARAMETERS]: 0 })) ?? [];
  const isUnique = moreNames.length === 0 && more.length === 0;
  if (before === undefined || between === undefined || after === undefined || !isUnique) return undefined;
  return [before, between, after];
}
