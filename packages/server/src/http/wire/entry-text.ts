import type { TaskDef, WorkflowTask } from "@downbeat/engine";

/**
 * An entry as JSON. A definition is larger than its entry, and the branches of a fork share one: its text is made once
 * for all of them. `model` is an entry that differs in its reference name and its input parameters alone: it is written
 * once too.
 */
export function entryText(entry: WorkflowTask, model?: WorkflowTask): string {
  const text = (model === undefined ? undefined : alikeText(entry, model)) ?? bareText(entry);
  return withDefinition(text, entry.taskDefinition);
}

const bareText = ({ taskDefinition: _definition, ...entry }: WorkflowTask): string => JSON.stringify(entry);

const defTexts = new WeakMap<TaskDef, string>();

export function defText(def: TaskDef): string {
  let text = defTexts.get(def);
  if (text === undefined) {
    text = JSON.stringify(def);
    defTexts.set(def, text);
  }
  return text;
}

type Different = Pick<WorkflowTask, "taskReferenceName" | "inputParameters">;

/** An entry like its model but for its name and parameters, as JSON. */
export const alikeEntryText = (model: WorkflowTask, different: Different): string =>
  withDefinition(alikeText(different, model) ?? bareText({ ...model, ...different }), model.taskDefinition);

const withDefinition = (text: string, definition: TaskDef | undefined): string =>
  definition === undefined ? text : `${text.slice(0, -1)},"taskDefinition":${defText(definition)}}`;

function alikeText({ taskReferenceName, inputParameters }: Different, model: WorkflowTask): string | undefined {
  const pieces = piecesOf(model);
  if (pieces === undefined) return undefined;
  return `${pieces[0]}${JSON.stringify(taskReferenceName)}${pieces[1]}${JSON.stringify(inputParameters)}${pieces[2]}`;
}

type Pieces = readonly [string, string, string];
const knownPieces = new WeakMap<WorkflowTask, Pieces | "none">();

/** What stands around the two values. None when the model itself has texts that look like the marks. */
function piecesOf(model: WorkflowTask): Pieces | undefined {
  let pieces = knownPieces.get(model);
  if (pieces === undefined) {
    pieces = cut(bareText({ ...model, taskReferenceName: NAME, inputParameters: { [PARAMETERS]: 0 } })) ?? "none";
    knownPieces.set(model, pieces);
  }
  return pieces === "none" ? undefined : pieces;
}

const NAME = "(reference name)";
const PARAMETERS = "(input parameters)";

function cut(text: string): Pieces | undefined {
  const [before, afterName, ...moreNames] = text.split(JSON.stringify(NAME));
  const [between, after, ...more] = afterName?.split(JSON.stringify({ [PARAMETERS]: 0 })) ?? [];
  const isUnique = moreNames.length === 0 && more.length === 0;
  if (before === undefined || between === undefined || after === undefined || !isUnique) return undefined;
  return [before, between, after];
}
