import { type Build, failTask, forkTask, inlineTask, joinTask, switchTask, type Task } from "./build.ts";
import { parseCondition } from "./condition.ts";
import type { Action, Plan, Validator } from "./plan.ts";
import { asInputs } from "./references.ts";
import { allPassed } from "./scripts/all-passed.ts";
import { validationVerdict, validationVerdictHelpers } from "./scripts/validation-verdict.ts";
import { callTasks } from "./tool-task.ts";

/** The end of a plan with validators: their verdict, and what follows it either way. */
export function validationTasks(
  plan: Plan,
  build: Build,
): { readonly tasks: readonly Task[]; readonly output: string } {
  const checks = plan.validation.map((validator, index) => checkTasks(validator, index, plan, build));
  const { tasks, verdict } =
    checks.length === 1 && checks[0] !== undefined ? alone(checks[0]) : together(checks, build);
  const output = `\${${verdict}.output.result}`;
  const succeeded = plan.onSuccess.flatMap((action, index) => actionTasks(action, index, "ok", build));
  const failed = plan.onFailure.flatMap((action, index) => actionTasks(action, index, "fail", build));
  const end = failTask(build.ref("term"), "Plan validation failed");
  const passed = succeeded.length > 0 ? succeeded : [noop(build.ref("ok_noop"))];
  const route = switchTask(build.ref("vsw"), output, { passed }, [...failed, end]);
  return { tasks: [...tasks, route], output };
}

type Check = { readonly tasks: readonly Task[]; readonly verdict: string };

const alone = ({ tasks, verdict }: Check): Check => ({ tasks, verdict });

function together(checks: readonly Check[], build: Build): Check {
  const fork = build.ref("val_fork");
  const join = build.ref("val_join");
  const verdict = build.ref("val_agg");
  const verdicts = checks.map((check, index) => [`v${index}`, `\${${check.verdict}.output.result}`]);
  return {
    tasks: [
      forkTask(
        fork,
        "val_fork",
        checks.map(({ tasks }) => tasks),
      ),
      joinTask(
        join,
        "val_join",
        checks.map((check) => check.verdict),
      ),
      inlineTask(verdict, { count: checks.length, ...Object.fromEntries(verdicts) }, allPassed),
    ],
    verdict,
  };
}

function checkTasks({ tool, args, condition }: Validator, operation: number, plan: Plan, build: Build): Check {
  const ref = build.ref("val");
  const verdict = build.ref("val_eval");
  const constants = {
    condition: condition === undefined ? null : parseCondition(condition),
    answer: plan.validation.length === 1 ? "word" : "object",
  } as const;
  const input = { toolOut: `\${${ref}.output.result}`, fullOutput: `\${${ref}.output}` };
  return {
    tasks: [
      ...plainCall({ tool, args }, ref, { place: "validation", operation }, build),
      inlineTask(verdict, input, validationVerdict, { using: validationVerdictHelpers, constants }),
    ],
    verdict,
  };
}

function actionTasks(action: Action, operation: number, word: "ok" | "fail", build: Build): readonly Task[] {
  return plainCall(action, build.ref(word), { place: word, operation }, build);
}

function plainCall(
  { tool, args }: Action,
  ref: string,
  where: { readonly place: string; readonly operation: number },
  build: Build,
): readonly Task[] {
  const known = build.tools.get(tool ?? "");
  if (known === undefined) throw new Error(`Expected a known tool, got ${tool}`);
  return callTasks({ ...where, tool: known, ref, args: asInputs(args, build.outputOf) }, build);
}

const noop = (ref: string): Task => ({
  name: "SET_VARIABLE",
  taskReferenceName: ref,
  type: "SET_VARIABLE",
  inputParameters: { _validation: "passed" },
});
