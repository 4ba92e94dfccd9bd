import type { JsonObject } from "@downbeat/engine";
import { refName } from "../config/questions.ts";
import type { AgentConfig } from "../config/types.ts";
import { saysContinue } from "./loop-condition.ts";
import { simple, type TaskList } from "./tasks.ts";

export type Stops = {
  /** Workers that are asked at the end of each turn whether to go on. */
  readonly tasks: TaskList;
  readonly conditions: readonly string[];
  /** What the loop hands to its condition. */
  readonly inputs: JsonObject;
};

/**
 * The stop predicate and the termination conditions of an agent. Both are workers of the SDK: `stopWhen.taskName`, and
 * `<agent>_termination`, which evaluates the conditions the SDK was given.
 */
export function stopTasks(config: AgentConfig, inputs: JsonObject): Stops {
  const base = refName(config.name);
  const workers = [
    ...(config.stopWhen === undefined ? [] : [{ ref: `${base}_stop_when`, name: config.stopWhen.taskName }]),
    ...(config.termination === undefined ? [] : [{ ref: `${base}_termination`, name: `${config.name}_termination` }]),
  ];
  return {
    tasks: workers.map(({ ref, name }) => simple(ref, name, inputs)),
    conditions: workers.map(({ ref }) => saysContinue(ref)),
    inputs: Object.fromEntries(workers.map(({ ref }) => [ref, `\${${ref}}`])),
  };
}
