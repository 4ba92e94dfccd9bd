import { type Build, forkTask, inlineTask, joinTask, safeName, type Task } from "./build.ts";
import { generateTasks } from "./generate.ts";
import type { Operation, Step } from "./plan.ts";
import { asInputs } from "./references.ts";
import { collectBranches } from "./scripts/collect-branches.ts";
import { stepOutput } from "./scripts/step-output.ts";
import { callTasks } from "./tool-task.ts";

/** The tasks of a step, and the expression for what it gives. */
export function stepTasks(step: Step, build: Build): { readonly tasks: readonly Task[]; readonly output: string } {
  const place = build.unique(safeName(step.id));
  const operations = step.operations.map((operation, index) =>
    operationTasks(operation, index, { step, place, build }),
  );
  return step.isParallel ? sideBySide(operations, place, build) : oneByOne(operations, place, build);
}

/** The tasks of an operation, and the one whose output it gives. */
type Built = { readonly tasks: readonly Task[]; readonly ref: string };

type Place = { readonly step: Step; readonly place: string; readonly build: Build };

function operationTasks({ tool, args, generate }: Operation, index: number, { step, place, build }: Place): Built {
  const known = build.tools.get(tool ?? "");
  if (known === undefined) throw new Error(`Expected a known tool, got ${tool}`);
  const at = { tool: known, place, operation: index };
  if (args === undefined && generate !== undefined) {
    return generateTasks({ ...at, generate, where: `Step ${step.id} op ${index}` }, build);
  }
  const ref = build.ref(`s_${place}`);
  return { tasks: callTasks({ ...at, ref, args: asInputs(args ?? {}, build.outputOf) }, build), ref };
}

function oneByOne(operations: readonly Built[], place: string, build: Build) {
  const last = operations.at(-1)?.ref ?? "";
  const ref = build.ref(`step_output_${place}`);
  const input = { simpleResult: `\${${last}.output.result}`, fullOutput: `\${${last}.output}` };
  return {
    tasks: [...operations.flatMap(({ tasks }) => tasks), inlineTask(ref, input, stepOutput)],
    output: `\${${ref}.output.result}`,
  };
}

function sideBySide(operations: readonly Built[], place: string, build: Build) {
  const fork = build.ref(`fork_${place}`);
  const join = build.ref(`join_${place}`);
  const ref = build.ref(`parallel_agg_${place}`);
  const results = operations.flatMap((operation, index) => [
    [`b${index}`, `\${${operation.ref}.output.result}`],
    [`o${index}`, `\${${operation.ref}.output}`],
  ]);
  return {
    tasks: [
      forkTask(
        fork,
        "fork_join",
        operations.map(({ tasks }) => tasks),
      ),
      joinTask(
        join,
        "join",
        operations.map((operation) => operation.ref),
      ),
      inlineTask(ref, { count: operations.length, ...Object.fromEntries(results) }, collectBranches),
    ],
    output: `\${${ref}.output.result}`,
  };
}
