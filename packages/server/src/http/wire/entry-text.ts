import type { TaskDef, WorkflowTask } from "@downbeat/engine";

/** A text in pieces, most of which others share: of something large they are never put together. */
export type Pieces = readonly string[];

/** An entry as JSON. */
export const entryPieces = (entry: WorkflowTask): Pieces => [ownText(entry)];

type Different = Pick<WorkflowTask, "taskReferenceName" | "inputParameters">;

/**
 * An entry like its model but for its reference name and its input parameters, as the branches of a fork are: the rest,
 * of which a definition is the larger part, is written once for all of them.
 */
export function alikeEntryPieces(model: WorkflowTask, different: Different): Pieces {
  const shared = sharedBy(model);
  if (shared === undefined) return [ownText({ ...model, ...different })];
  const { taskReferenceName, inputParameters } = different;
  const own = `${shared[0]}${JSON.stringify(taskReferenceName)}${shared[1]}${JSON.stringify(inputParameters)}`;
  return [own, shared[2]];
}

function ownText({ taskDefinition, ...entry }: WorkflowTask): string {
  const text = JSON.stringify(entry);
  return taskDefinition === undefined ? text : `${text.slice(0, -1)},"taskDefinition":${defText(taskDefinition)}}`;
}

const defTexts = new WeakMap<TaskDef, string>();

export function defText(def: TaskDef): string {
  let text = defTexts.get(def);
  if (text === undefined) {
    text = JSON.stringify(def);
    defTexts.set(def, text);
  }
  return text;
}

type Shared = readonly [string, string, string];
const knownShared = new WeakMap<WorkflowTask, Shared | "none">();

/** What stands around the two values. None when the model itself has texts that look like the marks. */
function sharedBy(model: WorkflowTask): Shared | undefined {
  let shared = knownShared.get(model);
  if (shared === undefined) {
    shared = cut(ownText({ ...model, taskReferenceName: NAME, inputParameters: { [PARAMETERS]: 0 } })) ?? "none";
    knownShared.set(model, shared);
  }
  return shared === "none" ? undefined : shared;
}

const NAME = "(reference name)";
const PARAMETERS = "(input parameters)";

function cut(text: string): Shared | undefined {
  const [before, afterName, ...moreNames] = text.split(JSON.stringify(NAME));
  const [between, after, ...more] = afterName?.split(JSON.stringify({ [PARAMETERS]: 0 })) ?? [];
  const isUnique = moreNames.length === 0 && more.length === 0;
  if (before === undefined || between === undefined || after === undefined || !isUnique) return undefined;
  return [before, between, after];
}
