import { AlikeEntries, type AlikeEntry } from "../definition/alike-entries.ts";
import { DefinitionFormatError } from "../definition/fields.ts";
import type { WorkflowTask } from "../definition/types.ts";
import { renderText } from "../expression/render-text.ts";
import { isJsonObject, type Json, type JsonObject, ownMember } from "../json.ts";
import { MappingFailure } from "./outcome.ts";

/** A branch of a dynamic fork: its entry, what it is stored as, and the input that came as data beside it. */
export type ForkedEntry = AlikeEntry & { readonly source: JsonObject; readonly data: JsonObject };

export type ForkSite = { readonly workflowName: string; readonly hasOtherForks: boolean };

/**
 * The branches a dynamic fork's input asks for, in any of its three forms. Also used when a fork is shown, so that
 * the entries need not be stored a second time with it.
 */
export function forkedEntries(fork: WorkflowTask, input: JsonObject, site: ForkSite): readonly ForkedEntry[] {
  const known = memo.get(input);
  if (known?.fork === fork && known.hasOtherForks === site.hasOtherForks) return known.entries;
  const entries = readEntries(fork, input, site);
  memo.set(input, { fork, hasOtherForks: site.hasOtherForks, entries });
  return entries;
}

type Memo = { readonly fork: WorkflowTask; readonly hasOtherForks: boolean; readonly entries: readonly ForkedEntry[] };

/** A large fork grows over several transitions and asks each time: its input is read once. */
const memo = new WeakMap<JsonObject, Memo>();

function readEntries(fork: WorkflowTask, input: JsonObject, site: ForkSite): readonly ForkedEntry[] {
  const entries = uniformFanOut(fork, input, site) ?? listedTasks(fork, input) ?? legacyTasks(fork, input);
  if (entries === undefined) {
    throw new MappingFailure(
      `No dynamic tasks could be created for the Workflow: ${site.workflowName}, Dynamic Fork Task: ${fork.name}`,
    );
  }
  const seen = new Set<string>();
  for (const ref of entries.flatMap(({ task }) => referencesIn(task))) {
    if (seen.has(ref)) {
      throw new MappingFailure(
        `No dynamic tasks could be created for the Workflow: ${site.workflowName}, Dynamic Fork Task: ${fork.name} attempted to create a duplicate task reference name: ${ref}`,
      );
    }
    seen.add(ref);
  }
  return entries;
}

function referencesIn(task: WorkflowTask): string[] {
  const inside = [...Object.values(task.decisionCases), task.defaultCase, ...task.forkTasks, task.loopOver];
  return [task.taskReferenceName, ...inside.flat().flatMap(referencesIn)];
}

/** `forkTaskInputs`: one task, or one sub-workflow, per element. */
function uniformFanOut(fork: WorkflowTask, input: JsonObject, site: ForkSite): ForkedEntry[] | undefined {
  const inputs = input["forkTaskInputs"];
  if (!Array.isArray(inputs)) return undefined;
  const workflow = input["forkTaskWorkflow"];
  const type = workflow === undefined || workflow === null ? textOr(input["forkTaskType"], "SIMPLE") : "SUB_WORKFLOW";
  const fallbackName = type === "SIMPLE" ? fork.taskReferenceName : type;
  const name = textOr(workflow, textOr(input["forkTaskName"], fallbackName));
  const prefix = site.hasOtherForks ? `_${fork.taskReferenceName}_${name}_` : `_${name}_`;
  const version = input["forkTaskWorkflowVersion"];
  const toEntry = entryReader();
  return inputs.map((element: Json, index) =>
    toEntry(
      {
        name,
        taskReferenceName: `${prefix}${index}`,
        type,
        optional: fork.optional,
        ...(type === "SUB_WORKFLOW"
          ? { subWorkflowParam: { name, ...(version === undefined || version === null ? {} : { version }) } }
          : {}),
      },
      { ...(isJsonObject(element) ? element : { input: element }), __index: index },
    ),
  );
}

/** A list of task entries, and a map from reference name to input. */
function listedTasks(fork: WorkflowTask, input: JsonObject): ForkedEntry[] | undefined {
  const { dynamicForkTasksParam: tasksParam, dynamicForkTasksInputParamName: inputsParam } = fork;
  if (tasksParam === undefined) return undefined;
  const tasks = ownMember(input, tasksParam);
  const invalid = () =>
    new MappingFailure(
      `Input '${tasksParam}' is invalid. Cannot deserialize a list of Workflow Tasks from '${renderText(tasks ?? null)}'`,
    );
  if (!Array.isArray(tasks)) throw invalid();
  const inputs = inputsParam === undefined ? undefined : ownMember(input, inputsParam);
  if (inputs !== undefined && inputs !== null && !isJsonObject(inputs)) {
    throw new MappingFailure(
      `Input to the dynamically forked tasks is not a map -> expecting a map of K,V  but found ${renderText(inputs)}`,
    );
  }
  const toEntry = entryReader();
  return tasks.map((task: Json) => {
    if (!isJsonObject(task) || typeof task["taskReferenceName"] !== "string") throw invalid();
    const own = isJsonObject(inputs) ? ownMember(inputs, task["taskReferenceName"]) : undefined;
    if (own !== undefined && own !== null && !isJsonObject(own)) {
      throw new MappingFailure(
        `Tasks could not be dynamically forked due to invalid input: expected the input of "${task["taskReferenceName"]}" to be a map, got ${renderText(own)}`,
      );
    }
    return toEntry(task, isJsonObject(own) ? own : {});
  });
}

/** The oldest form: `{dynamicTasks: [{taskName, referenceName, input, type}]}`. */
function legacyTasks(fork: WorkflowTask, input: JsonObject): ForkedEntry[] | undefined {
  const param = fork.dynamicForkJoinTasksParam;
  if (param === undefined) return undefined;
  const value = ownMember(input, param);
  const tasks = isJsonObject(value) ? value["dynamicTasks"] : undefined;
  if (!Array.isArray(tasks)) {
    throw new MappingFailure(
      `Dynamic tasks could not be created. The value of ${param} from task's input ${renderText(input)} has no dynamic tasks to be scheduled`,
    );
  }
  const toEntry = entryReader();
  return tasks.map((task: Json) => {
    const { taskName, referenceName, input: own, type } = isJsonObject(task) ? task : {};
    return toEntry(
      {
        name: taskName ?? "",
        taskReferenceName: referenceName ?? taskName ?? "",
        type: type ?? "SIMPLE",
      },
      isJsonObject(own) ? own : {},
    );
  });
}

function entryReader(): (source: JsonObject, data: JsonObject) => ForkedEntry {
  const alike = new AlikeEntries();
  return (source, data) => {
    try {
      return { ...alike.normalize(source), source, data };
    } catch (error) {
      if (!(error instanceof DefinitionFormatError)) throw error;
      throw new MappingFailure(`Tasks could not be dynamically forked due to invalid input: ${error.message}`, {
        cause: error,
      });
    }
  };
}

const textOr = (value: Json | undefined, fallback: string): string =>
  typeof value === "string" && value !== "" ? value : fallback;
