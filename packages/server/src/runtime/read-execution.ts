import {
  forkedEntries,
  type Head,
  type JsonObject,
  type Plan,
  type RawJson,
  readOutput,
  type Task,
  type WorkflowTask,
} from "@downbeat/engine";
import type { WholeExecution, WholeTask } from "@downbeat/store";
import { EntryFinder } from "../http/wire/entry.ts";
import { alikeEntryPieces } from "../http/wire/entry-text.ts";
import { maskText } from "../http/wire/mask.ts";
import type { Pieces } from "../http/wire/pieces.ts";
import { taskPieces, taskText } from "../http/wire/task.ts";
import { type WorkflowParts, workflowText } from "../http/wire/workflow.ts";
import type { Runtime } from "./runtime.ts";
import { type PayloadMode, showTask, showWhole } from "./show-payloads.ts";
import { WholeView } from "./whole-view.ts";

export type ReadOptions = {
  readonly includeTasks: boolean;
  /** Large payloads are read in whole, unless told otherwise. */
  readonly payloads?: PayloadMode;
};

/** An execution as the interface shows it, JSON text; undefined when there is none. */
export async function readWorkflow(runtime: Runtime, id: string, options: ReadOptions): Promise<string | undefined> {
  const parts = await readWorkflowParts(runtime, id, options);
  return parts === undefined ? undefined : workflowText(parts);
}

/** What the wire text of an execution is made of. */
export async function readWorkflowParts(
  runtime: Runtime,
  id: string,
  options: ReadOptions,
): Promise<WorkflowParts | undefined> {
  const stored = await runtime.store.executions.whole(id, options);
  if (stored === undefined) return undefined;
  const plan = await runtime.definitions.loadPlan(stored.head.defHash);
  const mode = modeFor(plan, options.payloads);
  const whole = await showWhole(runtime.payloads, stored, mode);
  const tasks = piecesOf(runtime, whole, plan, [...whole.tasks].sort(bySeq));
  return { ...workflowParts(whole, plan, tasks), hasPlaceholders: mode === "placeholders" && whole !== stored };
}

/** The same for an execution that was read already, its tasks as given. */
export function workflowParts(
  { head, input, output, variables }: Omit<WholeExecution, "tasks">,
  { def }: Plan,
  tasks: WorkflowParts["tasks"],
): WorkflowParts {
  return {
    head,
    def,
    tasks,
    input: maskText(input.text, def.maskedFields),
    output: maskText(output.text, def.maskedFields),
    variables: maskText(variables.text, def.maskedFields),
  };
}

/** The wire texts of some tasks, in the order given. Only what they need is read, unless one shows what others put out. */
export async function readTasks(
  runtime: Runtime,
  head: Head,
  tasks: readonly Task[],
  payloads?: PayloadMode,
): Promise<readonly string[]> {
  const plan = await runtime.definitions.loadPlan(head.defHash);
  const mode = modeFor(plan, payloads);
  const { executions } = runtime.store;
  if (!tasks.every(standsAlone)) {
    const stored = await executions.whole(head.id, { includeTasks: true });
    const whole = stored === undefined ? undefined : await showWhole(runtime.payloads, stored, mode);
    const byNo = new Map(whole?.tasks.map((item) => [item.task.no, item]));
    const items = tasks.map(({ no }) => byNo.get(no)).filter((item) => item !== undefined);
    return whole === undefined ? [] : [...piecesOf(runtime, whole, plan, items)].map((pieces) => pieces.join(""));
  }
  const entries = new EntryFinder(plan, (name) => runtime.definitions.findTaskDef(name));
  return await Promise.all(
    tasks.map(async (stored) => {
      const { task, input, output } = await showTask(
        runtime.payloads,
        {
          task: stored,
          input: await executions.payload(head.id, stored.no, "input"),
          output: await executions.payload(head.id, stored.no, "output"),
        },
        mode,
      );
      const { maskedFields } = plan.def;
      return taskText({
        head,
        task,
        ...entries.find(stored, stored),
        input: maskText(input.text, maskedFields),
        output: maskText(output.text, maskedFields),
      });
    }),
  );
}

/** What is masked must be looked into. */
const modeFor = ({ def }: Plan, mode: PayloadMode = "whole"): PayloadMode =>
  mode === "placeholders" && def.maskedFields.length > 0 ? "whole" : mode;

/** Neither its input, nor its output, nor its entry is found in other tasks. */
const standsAlone = ({ taskType, tree, no }: Task): boolean =>
  !["JOIN", "DO_WHILE", "FORK"].includes(taskType) && (tree === 0 || tree === no);

/** The wire texts of some tasks of an execution that was read whole, in the order given, made one by one. */
function* piecesOf(
  runtime: Runtime,
  whole: WholeExecution,
  plan: Plan,
  tasks: readonly WholeTask[],
): Generator<Pieces, undefined, undefined> {
  const view = new WholeView(whole);
  const context = runtime.readContext();
  const { head } = whole;
  const { maskedFields } = plan.def;
  const entries = new EntryFinder(plan, (name) => runtime.definitions.findTaskDef(name));
  for (const { task, input, output } of tasks) {
    const root = task.tree === 0 ? undefined : view.findTask(task.tree);
    const found = entries.find(task, root);
    const { entry } = found;
    const isDynamicFork = task.taskType === "FORK" && entry.type === "FORK_JOIN_DYNAMIC";
    const isView = task.taskType === "JOIN" || task.taskType === "DO_WHILE";
    yield taskPieces({
      head,
      task,
      ...found,
      input: isDynamicFork
        ? maskPieces(forkInput(task, entry, input), maskedFields)
        : maskText(input.text, maskedFields),
      output: maskText(isView ? readOutput(view, context, task) : output.text, maskedFields),
    });
  }

  /** With what it forked, which is half of what is shown of a large fork. */
  function forkInput(fork: Task, entry: WorkflowTask, input: RawJson): Pieces {
    const value = input.value as JsonObject;
    const hasOtherForks = whole.tasks.some(
      (other) => other.task.no < fork.no && plan.entries.get(other.task.ref)?.task.type === "FORK_JOIN_DYNAMIC",
    );
    const forked = forkedEntries(entry, value, { workflowName: head.workflowName, hasOtherForks });
    const names = forked.map((branch) => branch.task.taskReferenceName);
    const { forkedTaskDefs: _defs, forkedTasks: _names, ...rest } = value;
    const isOwn = Object.keys(rest).length === Object.keys(value).length;
    const own = isOwn ? input.text : JSON.stringify(rest);
    const before = own.slice(0, own.lastIndexOf("}"));
    const comma = before.trimEnd() === "{" ? "" : ",";
    const pieces = [before, `${comma}"forkedTasks":${JSON.stringify(names)},"forkedTaskDefs":[`];
    for (const [index, branch] of forked.entries()) {
      const { taskReferenceName, inputParameters } = branch.task;
      const different = { taskReferenceName, inputParameters: { ...inputParameters, ...branch.data } };
      if (index > 0) pieces.push(",");
      pieces.push(...alikeEntryPieces(entries.model(branch), different));
    }
    pieces.push("]}");
    return pieces;
  }
}

const maskPieces = (pieces: Pieces, fields: readonly string[]): Pieces =>
  fields.length === 0 ? pieces : [maskText(pieces.join(""), fields)];

const bySeq = (a: WholeTask, b: WholeTask): number => a.task.seq - b.task.seq || a.task.no - b.task.no;
