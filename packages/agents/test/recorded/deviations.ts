import type { Deviation } from "./compare.ts";

const retries =
  "reference 04, 7.10: retries one or two seconds apart. Of an entry itself only retryCount counts, the delay is its task definition's";
const wholeOutput =
  "reference 04, 7.10 (the last result, or the whole output when there is none) and 9 (a tool's object is the output itself): without the whole output what such a tool gave is lost";
const reason = "reference 04, 7.10: the reason says why the arguments were rejected";
const iteration = "Definitions pass the engine's validation: the recorded expression names a loop that is not there";

const repeat = "reference 04, 10 (Do): a LoopAgent's sequence is repeated max_iterations times";

/** Where plans and framework agents differ from the recordings on purpose: one value each, with the rule for it. */
export const deviations: readonly Deviation[] = [
  at("frameworks/adk_loop", "metadata", repeat),
  at("plans/p02_parallel_generate", "workflowDef.tasks[0].forkTasks[0][0].taskDefinition", retries),
  at(
    "plans/p02_parallel_generate",
    "workflowDef.tasks[0].forkTasks[0][3].defaultCase[0].inputParameters.terminationReason",
    reason,
  ),
  at("plans/p02_parallel_generate", "workflowDef.tasks[2].inputParameters.o0", wholeOutput),
  at("plans/p02_parallel_generate", "workflowDef.tasks[2].inputParameters.o1", wholeOutput),
  at("plans/p03_validation", "workflowDef.tasks[3].inputParameters.fullOutput", wholeOutput),
  at("plans/p04_two_validators", "workflowDef.tasks[2].forkTasks[0][1].inputParameters.fullOutput", wholeOutput),
  at("plans/p04_two_validators", "workflowDef.tasks[2].forkTasks[1][1].inputParameters.fullOutput", wholeOutput),
  at("plans/p05_tool_kinds", "workflowDef.tasks[0].taskDefinition", retries),
  at("plans/p05_tool_kinds", "workflowDef.tasks[1].taskDefinition", retries),
  at("plans/p05_tool_kinds", "workflowDef.tasks[2].taskDefinition", retries),
  at("plans/p05_tool_kinds", "workflowDef.tasks[4].taskDefinition", retries),
  at("plans/p05_tool_kinds", "workflowDef.tasks[5].taskDefinition", retries),
  at("plans/p05_tool_kinds", "workflowDef.tasks[6].taskDefinition", retries),
  at("plans/p06_guarded", "workflowDef.tasks[1].inputParameters.iteration", iteration),
];

function at(fixture: string, path: string, why: string): Deviation {
  return { fixture, at: path, why };
}
